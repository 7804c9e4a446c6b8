import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';

/** A request as it arrived. */
interface SiteRequest {
  readonly method: string;
  /** Without its port. */
  readonly host: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The response of a test site; by default 200 and an empty HTML page. */
export interface SiteResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Websites on this machine, told apart by their host names. */
export interface TestSite {
  readonly port: number;
  /** All requests so far, in order of arrival. */
  readonly requests: readonly SiteRequest[];
  /** The address of a path of a host, such as `shop.test`. */
  url(host: string, path: string): string;
  close(): Promise<void>;
}

/** Starts a server for any number of host names; a request that `respond` has no response to is 404. */
export async function startTestSite(
  respond: (request: SiteRequest) => SiteResponse | undefined | Promise<SiteResponse | undefined>,
): Promise<TestSite> {
  const requests: SiteRequest[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const request = {
      method: incoming.method ?? '',
      host: (incoming.headers.host ?? '').replace(/:\d+$/, ''),
      path: incoming.url ?? '',
      headers: incoming.headers,
      body: await text(incoming),
    };
    requests.push(request);
    const response = (await respond(request)) ?? { status: 404 };
    outgoing.writeHead(response.status ?? 200, { 'content-type': 'text/html; charset=utf-8', ...response.headers });
    outgoing.end(response.body ?? '');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;

  return {
    port,
    requests,
    url: (host, path) => `http://${host}:${port}${path}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
