// Makes the package in dist/ from js/ and build/fencelock.wasm.

import { build } from 'esbuild';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const WASM = 'build/fencelock.wasm';
const ENTRIES = ['index', 'simulator'].filter((name) => existsSync(`js/${name}.js`));
// What both entries need is in files of its own, so that there is one core in a process, and its
// bytes are in the package once a module format.
const SHARED = ['errors', 'wasm'];
const TARGET = 'es2022';

const sharedFiles = (extension) => ({
  name: 'shared-files',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/(errors|wasm)\.js$/ }, ({ path }) => ({
      path: path.replace(/\.js$/, extension),
      external: true,
    }));
  },
});

const wasmFile = {
  name: 'wasm-file',
  setup({ onResolve }) {
    onResolve({ filter: /^fencelock\.wasm$/ }, () => ({ path: join(process.cwd(), WASM) }));
  },
};

const common = {
  bundle: true,
  target: TARGET,
  loader: { '.wasm': 'base64' },
  charset: 'utf8',
  legalComments: 'none',
  minify: true,
  keepNames: true, // in stack traces
  logLevel: 'warning',
};

function buildModules(format, extension) {
  return build({
    ...common,
    entryPoints: [...ENTRIES, ...SHARED].map((name) => `js/${name}.js`),
    outdir: 'dist',
    outExtension: { '.js': extension },
    format,
    plugins: [sharedFiles(extension), wasmFile],
  });
}

function buildScript() {
  return build({
    ...common,
    entryPoints: ['js/index.js'],
    outfile: 'dist/fencelock.global.js',
    format: 'iife',
    globalName: 'fencelock',
    plugins: [wasmFile],
  });
}

function copyTypes() {
  for (const entry of ENTRIES) {
    const types = readFileSync(`js/${entry}.d.ts`, 'utf8');
    writeFileSync(`dist/${entry}.d.ts`, types);
    writeFileSync(`dist/${entry}.d.cts`, types.replaceAll(/(from '\.\/\w+)\.js'/g, "$1.cjs'"));
  }
}

mkdirSync('dist', { recursive: true });
await Promise.all([buildModules('esm', '.mjs'), buildModules('cjs', '.cjs'), buildScript()]);
copyTypes();
copyFileSync(WASM, 'dist/fencelock.wasm');
