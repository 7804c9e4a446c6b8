import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { type Settings, SettingsError } from '../installation/settings.ts';

/**
 * Listens on the configured address, and returns the service's URL for clients on this machine.
 *
 * @throws SettingsError if it cannot listen on the address
 */
export async function listen(app: FastifyInstance, { host, port, tlsCert }: Settings): Promise<string> {
  const scheme = tlsCert === undefined ? 'http' : 'https';
  // Fastify does not know that its server speaks https.
  const listenTextResolver = (url: string) => `listening at ${url.replace('http:', `${scheme}:`)}`;
  try {
    await app.listen({ host, port, listenTextResolver });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown error';
    throw new SettingsError(
      `Cannot listen on HOST ${host}, PORT ${port} (${code}): stop the process that uses the port, or set PORT or HOST to another.`,
    );
  }
  const { port: actual } = app.server.address() as AddressInfo;
  return urlOfServer({ host, port: actual, tlsCert });
}

/** Where a client on this machine finds a service with these settings. */
export function urlOfServer({ host, port, tlsCert }: Pick<Settings, 'host' | 'port' | 'tlsCert'>): string {
  const isLocal = ['127.0.0.1', '0.0.0.0', '::', '::1'].includes(host);
  const name = isLocal ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${tlsCert === undefined ? 'http' : 'https'}://${name}:${port}`;
}
