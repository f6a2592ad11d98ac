// Serves the page. PORT and HOST say where; a port that is taken is passed over.

import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../dist/page', import.meta.url));
const DEFAULT_PORT = 8080;
const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** The file that an address stands for; null when there is none. */
function fileFor(address) {
  let path;
  try {
    path = decodeURIComponent(new URL(address, 'http://page').pathname);
  } catch {
    return null;
  }
  if (path.includes('\0')) return null;
  let file = join(FOLDER, normalize(path)); // the path begins with /, so it can't lead out
  if (existsSync(file) && statSync(file).isDirectory()) file = join(file, 'index.html');
  return existsSync(file) ? file : null;
}

const server = createServer((request, response) => {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return;
  }
  const file = fileFor(request.url);
  if (file === null) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('There is no such file.\n');
    return;
  }
  const type = TYPES[extname(file)] ?? 'application/octet-stream';
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' });
  if (request.method === 'HEAD') response.end();
  else createReadStream(file).pipe(response);
});

const host = process.env.HOST ?? 'localhost';
const wanted = Number(process.env.PORT ?? DEFAULT_PORT);

server.on('error', (error) => {
  if (error.code === 'EADDRINUSE' && process.env.PORT === undefined) {
    server.listen(0, host);
    return;
  }
  console.error(`error: can't listen on port ${wanted} of ${host}: ${error.message}`);
  process.exitCode = 1;
});
server.on('listening', () => {
  console.log(`The page is at http://${host}:${server.address().port}/ (Ctrl+C ends this).`);
});
server.listen(wanted, host);
