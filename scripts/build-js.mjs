// Makes the package in dist/ from js/ and build/*.wasm.

import { build } from 'esbuild';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

const ENTRIES = ['index', 'simulator'];
// Both entries throw the same errors.
const SHARED = 'errors';
const TARGET = 'es2022';

const sharedFile = (extension) => ({
  name: 'shared-file',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/errors\.js$/ }, () => ({
      path: `./${SHARED}${extension}`,
      external: true,
    }));
  },
});

const wasmFiles = {
  name: 'wasm-files',
  setup({ onResolve }) {
    onResolve({ filter: /^\w+\.wasm$/ }, ({ path }) => ({ path: resolve('build', path) }));
  },
};

const common = {
  bundle: true,
  target: TARGET,
  loader: { '.wasm': 'base64' },
  charset: 'utf8',
  legalComments: 'none',
  minify: true,
  // Readable enough in a stack trace, and when Node prints the line that threw.
  keepNames: true,
  lineLimit: 100,
  logLevel: 'warning',
};

function buildModules(format, extension) {
  return build({
    ...common,
    entryPoints: [...ENTRIES, SHARED].map((name) => `js/${name}.js`),
    outdir: 'dist',
    outExtension: { '.js': extension },
    format,
    plugins: [sharedFile(extension), wasmFiles],
  });
}

// The command line is for Node alone, and stands on the simulator's module.
function buildCommand() {
  return build({
    ...common,
    entryPoints: ['js/cli.js'],
    outfile: 'dist/cli.mjs',
    format: 'esm',
    platform: 'node',
    plugins: [
      {
        name: 'simulator-module',
        setup({ onResolve }) {
          const external = { path: './simulator.mjs', external: true };
          onResolve({ filter: /^\.\/simulator\.js$/ }, () => external);
        },
      },
    ],
  });
}

function buildScript() {
  return build({
    ...common,
    entryPoints: ['js/index.js'],
    outfile: 'dist/fencelock.global.js',
    format: 'iife',
    globalName: 'fencelock',
    plugins: [wasmFiles],
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
await Promise.all([
  buildModules('esm', '.mjs'),
  buildModules('cjs', '.cjs'),
  buildCommand(),
  buildScript(),
]);
chmodSync('dist/cli.mjs', 0o755);
copyTypes();
copyFileSync('build/fencelock.wasm', 'dist/fencelock.wasm');
