import { promises as dns } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { storedText } from '@hitherto/domain/base';
import {
  isPrivateAddress,
  type WebhookClient,
  type WebhookMessage,
  WebhookUnreachable,
} from '@hitherto/domain/webhooks';
import { Webhook } from 'standardwebhooks';
import { now } from '../system.ts';

export interface WebhookClientOptions {
  /** Private networks that may be reached nevertheless. */
  readonly allowedNetworks: readonly string[];
  /** How long one message may take in all, in milliseconds; 10 seconds unless given. */
  readonly timeoutMs?: number;
  /** All addresses of a name; the system's resolver unless given. */
  readonly resolve?: (name: string) => Promise<readonly ResolvedHost[]>;
  /** The addresses of this machine, which may change while it runs; those of its network interfaces unless given. */
  readonly ownAddresses?: () => readonly string[];
}

/** An address of a name; its family is 4 or 6. */
interface ResolvedHost {
  readonly address: string;
  readonly family: number;
}

const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 64 * 1024;

/**
 * Posts messages over HTTP and HTTPS. A name is resolved once, and the connection goes to the addresses that were checked, so
 * that a name that changes in between gains nothing. It follows no redirect and uses no proxy.
 */
export function createWebhookClient({
  allowedNetworks,
  timeoutMs = TIMEOUT_MS,
  resolve = (name) => dns.lookup(name, { all: true }),
  ownAddresses = addressesOfInterfaces,
}: WebhookClientOptions): WebhookClient {
  return {
    async send(message) {
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const url = new URL(message.url);
        const addresses = await before(signal, resolveHost(url, resolve));
        const own = ownAddresses();
        // One private address is enough to reject: we cannot choose which address Node connects to.
        if (
          addresses.length === 0 ||
          addresses.some(({ address }) => isPrivateAddress(address, allowedNetworks, own))
        ) {
          throw new WebhookUnreachable(storedText('privateAddress'));
        }
        return await post(url, message, addresses, signal);
      } catch (error) {
        if (error instanceof WebhookUnreachable) throw error;
        if (signal.aborted) throw new WebhookUnreachable(storedText('noResponseWithin', timeoutMs / 1000));
        throw new WebhookUnreachable(storedText('noResponse', codeOf(error)));
      }
    },
  };
}

function addressesOfInterfaces(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
}

/** The addresses of a host. URLs have addresses in normal form, whatever the notation was. */
async function resolveHost(
  { hostname }: URL,
  resolve: (name: string) => Promise<readonly ResolvedHost[]>,
): Promise<readonly ResolvedHost[]> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(host);
  if (family > 0) return [{ address: host, family }];
  // A name that does not exist is as good as a private one: neither says more.
  return resolve(host).catch(() => []);
}

/** Resolves to the status of the response. */
function post(
  url: URL,
  { body, id, secret }: WebhookMessage,
  addresses: readonly ResolvedHost[],
  signal: AbortSignal,
): Promise<number> {
  const signed = secret === null ? {} : signatureOf(secret, id, body);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'user-agent': 'Hitherto',
    ...signed,
  };
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    // A connection of its own: one that is kept might have been made for another address.
    const sent = request(url, { method: 'POST', agent: false, lookup: lookupOf(addresses), headers, signal });
    sent.on('error', reject);
    // A 101 is neither a `response` nor an `error`.
    sent.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response.statusCode ?? 0);
    });
    sent.on('close', () => reject(new Error('The connection was closed.')));
    sent.on('response', (response) => {
      let size = 0;
      response.on('error', () => {});
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_RESPONSE_BYTES) response.destroy();
      });
      resolve(response.statusCode ?? 0);
    });
    sent.end(body);
  });
}

/** The headers of Standard Webhooks. Receivers compare the time with their clock, so that it is never the time of `--at`. */
function signatureOf(secret: string, id: string, body: string) {
  const at = now();
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
}

/** Finds the addresses that were checked, whatever the name. */
function lookupOf(addresses: readonly ResolvedHost[]): LookupFunction {
  return (_name, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}

function before<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error';
}
