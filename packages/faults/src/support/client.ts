import { Agent, request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import type { WebsiteJson } from '@hitherto/testing/website-json';
import { lookForSecrets, watchKey } from './secrets.ts';

const FORM = 'application/x-www-form-urlencoded';

/** A complete response. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Milliseconds from the start of the request to the end of the response. */
  readonly ms: number;
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: string | Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly body?: string | Buffer;
  /** The only status that is not an error. */
  readonly expects?: number;
}

/** A client of the API with its own key. */
export interface Client {
  /**
   * Sends one request and reads the response, which must not contain a secret. Never retries.
   * @throws the socket's error if there was no complete response
   */
  request(method: string, path: string, sent?: Sent): Promise<ApiResponse>;
  close(): void;
}

/** Opens a client. `baseUrl` is called for each request, since a restarted service has another port. */
export function openClient(
  baseUrl: string | (() => string),
  key: string | null,
  maxSockets = 64,
  localAddress?: string,
): Client {
  if (key !== null) watchKey(key);
  const agent = new Agent({ keepAlive: true, maxSockets, ...(localAddress === undefined ? {} : { localAddress }) });
  return {
    request(method, path, sent = {}) {
      const { headers = {}, expects } = sent;
      const [typed, payload] = payloadOf(sent);
      const since = performance.now();
      return new Promise((resolve, reject) => {
        const url = (typeof baseUrl === 'string' ? baseUrl : baseUrl()) + path;
        const own = {
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...(typed === undefined ? {} : { 'content-type': typed }),
          ...(payload === undefined ? {} : { 'content-length': Buffer.byteLength(payload) }),
        };
        const request = send(url, { method, agent, headers: { ...own, ...headers } }, async (response) => {
          try {
            const content = await text(response);
            lookForSecrets(content, `${method} ${path}`);
            lookForSecrets(response.rawHeaders.join('\n'), `headers of ${method} ${path}`);
            const { statusCode: status = 0, headers: received } = response;
            if (status !== (expects ?? status)) throw new Error(`${method} ${path} gets ${status}: ${content}`);
            resolve({ status, headers: received, text: content, ms: performance.now() - since });
          } catch (error) {
            reject(error);
          }
        });
        request.on('error', reject);
        request.end(payload);
      });
    },
    close: () => agent.destroy(),
  };
}

function payloadOf({
  form,
  json,
  body,
}: Sent): readonly [type: string | undefined, payload: string | Buffer | undefined] {
  if (form !== undefined) return [FORM, typeof form === 'string' ? form : new URLSearchParams(form).toString()];
  return json === undefined ? [undefined, body] : ['application/json', JSON.stringify(json)];
}

/** The website in a response. */
export function websiteIn({ status, text: content }: ApiResponse): WebsiteJson {
  if (status >= 300) throw new Error(`${status} instead of a website: ${content}`);
  return JSON.parse(content).data;
}

/** Creates a website with these fields. */
export async function create(client: Client, json: object): Promise<WebsiteJson> {
  return websiteIn(await client.request('POST', '/api/v1/websites', { json }));
}

/** All websites of the account, following the links from page to page. */
export async function allWebsites(client: Client): Promise<WebsiteJson[]> {
  const found: WebsiteJson[] = [];
  let next: string | null = '/api/v1/websites?per_page=100';
  while (next !== null) {
    const response: ApiResponse = await client.request('GET', next, { expects: 200 });
    const page: { data: WebsiteJson[]; links: { next: string | null } } = JSON.parse(response.text);
    found.push(...page.data);
    next = page.links.next;
  }
  return found;
}
