import { startBrowser } from '@hitherto/testing/browser';
import { type SiteResponse, startTestSite, type TestSite } from '@hitherto/testing/test-site';
import type { BrowserContext, Page } from 'playwright-core';
import { readMeasuring, readTracker } from '../../src/tracker/read-tracker.ts';

/** The fields of a hit that the tracker sent. */
export type SentHit = Readonly<Record<string, unknown>>;

interface PageOptions {
  readonly host?: string;
  readonly path?: string;
  /** Further attributes of the script. */
  readonly attributes?: string;
  /** The address of the script. */
  readonly script?: string;
  /** The page, instead of one with the script. */
  readonly html?: string;
  /** HTML before the script, and after it. */
  readonly head?: string;
  readonly body?: string;
  /** Runs in the page before anything else. */
  readonly before?: () => void;
  readonly referer?: string;
}

/** A browser, websites with the tracker in their pages, and a server that records what the tracker sends. */
export interface World {
  readonly site: TestSite;
  readonly context: BrowserContext;
  /** Opens a page that has the tracker, and waits until what it sends has arrived. All paths of its host are that page. */
  open(options?: PageOptions): Promise<Page>;
  /** Waits until what a page has sent has arrived. */
  settle(page: Page): Promise<void>;
  /** The hits that arrived since the last call. */
  hits(): SentHit[];
  /** How the next hits are responded to, one each; then it is 202 again. */
  respondNext(...responses: readonly SiteResponse[]): void;
  close(): Promise<void>;
}

const CORS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'Retry-After' };

export async function startWorld(): Promise<World> {
  const tracker = readTracker();
  const responses: SiteResponse[] = [];
  let html = '';
  let seen = 0;

  const site = await startTestSite(({ method, path }) => {
    if (method === 'POST') {
      const { headers, ...rest } = responses.shift() ?? { status: 202 };
      return { ...rest, headers: { ...CORS, ...headers } };
    }
    if (path.endsWith('?measure')) {
      return { headers: { ...CORS, 'content-type': 'text/javascript' }, body: readMeasuring() };
    }
    if (path.endsWith('/script.js')) return { headers: { ...CORS, 'content-type': 'text/javascript' }, body: tracker };
    return { headers: CORS, body: path === '/quiet' ? '' : html };
  });
  const browser = await startBrowser();
  const context = await browser.newContext();

  const settle = async (page: Page): Promise<void> => {
    // What was sent before this request has arrived when it has, but for the connections' order.
    await page.evaluate((url) => fetch(url, { method: 'HEAD' }), site.url('stats.test', '/quiet'));
    await page.waitForTimeout(100);
  };

  return {
    site,
    context,
    settle,
    open: async ({
      host = 'site.test',
      path = '/',
      attributes = '',
      script,
      html: whole,
      head = '',
      body = '',
      before,
      referer,
    } = {}) => {
      const src = script ?? site.url('stats.test', '/script.js');
      const own = `<!doctype html><title>A page</title>${head}<script defer src="${src}" data-website="w1" ${attributes}></script>${body}`;
      html = whole ?? own;
      const page = await context.newPage();
      if (before !== undefined) await page.addInitScript(before);
      await page.goto(site.url(host, path), referer === undefined ? {} : { referer });
      await settle(page);
      return page;
    },
    hits: () => {
      const posts = site.requests.filter(({ method }) => method === 'POST');
      const fresh = posts.slice(seen);
      seen = posts.length;
      return fresh.map(({ body }) => JSON.parse(body));
    },
    respondNext: (...next) => {
      responses.push(...next);
    },
    close: async () => {
      await browser.close();
      await site.close();
    },
  };
}
