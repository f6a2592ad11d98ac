// Builds the page twice: dist/page/, a folder of static files to host, and dist/fencelock.html, one
// file that works by double click and offline.

import { build } from 'esbuild';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

const root = fileURLToPath(new URL('..', import.meta.url));
const web = path.join(root, 'web');
const dist = path.join(root, 'dist');

const wasmFiles = {
  name: 'wasm-files',
  setup({ onResolve }) {
    onResolve({ filter: /^\w+\.wasm$/ }, (file) => ({ path: path.join(root, 'build', file.path) }));
  },
};

const bundle = async (entry, options = {}) => {
  const result = await build({
    entryPoints: [path.join(web, entry)],
    bundle: true,
    loader: { '.wasm': 'base64' },
    plugins: [wasmFiles],
    minify: true,
    write: false,
    charset: 'utf8',
    target: ['chrome111', 'firefox113', 'safari16.4'],
    legalComments: 'none',
    logLevel: 'warning',
    ...options,
  });
  return result.outputFiles[0].text;
};

const [core, script, style, page] = await Promise.all([
  bundle('core.js', { format: 'iife' }),
  bundle('main.js', { format: 'iife' }),
  bundle('style.css'),
  readFile(path.join(web, 'index.html'), 'utf8'),
]);

/** A script's text may not hold what would end its element. */
const inScript = (text) => text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');

const replaceOnce = (text, pattern, inserted) => {
  const parts = text.split(pattern);
  if (parts.length !== 2) throw new Error(`web/index.html should match ${pattern} exactly once`);
  return parts.join(inserted);
};

const styled = replaceOnce(page, /<link rel="stylesheet"[^>]*>/, `<style>\n${style}</style>`);
const cored = replaceOnce(
  styled,
  /<script src="core.js"[^>]*><\/script>/,
  `<script data-core>\n${inScript(core)}</script>`,
);
const single = replaceOnce(
  cored,
  /<script src="main.js"[^>]*><\/script>/,
  `<script>\n${inScript(script)}</script>`,
);

await mkdir(path.join(dist, 'page'), { recursive: true });
await Promise.all([
  writeFile(path.join(dist, 'page', 'index.html'), page),
  writeFile(path.join(dist, 'page', 'style.css'), style),
  writeFile(path.join(dist, 'page', 'core.js'), core),
  writeFile(path.join(dist, 'page', 'main.js'), script),
  writeFile(path.join(dist, 'fencelock.html'), single),
]);
