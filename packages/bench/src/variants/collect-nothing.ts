// A bare node:http server that reads a hit's body, responds with 202 and stores nothing.
import { createServer } from 'node:http';
import { settings } from './setup.ts';

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    Buffer.concat(chunks);
    response.writeHead(202, { 'content-length': 0 }).end();
  });
}).listen(settings().port, '127.0.0.1');
process.on('SIGTERM', () => process.exit());
