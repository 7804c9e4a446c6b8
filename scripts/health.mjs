// The health check of the image: exits with 0 if requests can be served. node:http takes half the CPU time of fetch.
const { PORT = '3000', TLS_CERT = '' } = process.env;
const { get } = await import(TLS_CERT === '' ? 'node:http' : 'node:https');
const options = { host: 'localhost', port: PORT, path: '/readyz', timeout: 5_000, rejectUnauthorized: false };
get(options, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
