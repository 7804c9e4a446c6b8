import { setTimeout as sleep } from 'node:timers/promises';
import { contractOf, type OpenApiDocument } from '@hitherto/testing/contract';
import { FUZZED_ALIASES, foreignFault, fuzzedForeignRequest } from '@hitherto/testing/fuzzed-foreign';
import { fuzzedRequest } from '@hitherto/testing/fuzzed-hits';
import { createFuzzedPages, type PageRequest } from '@hitherto/testing/fuzzed-pages';
import { createFuzzedResources, type KnownIds, type ResourceRequest } from '@hitherto/testing/fuzzed-resources';
import { MARKUP } from '@hitherto/testing/fuzzed-values';
import { memoryOf } from '@hitherto/testing/proc';
import { type Random, randomOf } from '@hitherto/testing/random';
import { runs } from '@hitherto/testing/runs';
import { expect, test } from 'vitest';
import { call, dataFolder, firstKeyOf, type Service, startService } from './support/program.ts';

// README.md, "Guarantees": bad input is rejected, and never a 5xx. `apps/api/test/fuzz.test.ts` has requests to websites.

const REQUESTS = runs(100, 20_000);
/** As many as the pool for statistics has connections: more would wait for one, and get 503 on a busy machine. */
const SENDERS = 4;
const MOST_TRIES = 30;
/** How often the memory at the end may be that after a fifth of the requests. */
const MOST_GROWTH = 1.2;
/** Webhooks deliver nothing beyond this machine: there is no such port. */
const NOWHERE = 'http://127.0.0.1:1/hook';
const SETUP_TOKEN = 'a-link-for-the-tests-of-32-characters';
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));

const SETTINGS = {
  RATE_LIMIT_PER_MINUTE: '0',
  SETUP_TOKEN,
  TRUST_PROXY: '127.0.0.1',
  WEBHOOK_ALLOW_PRIVATE: '127.0.0.1',
  // It collects its garbage on a signal; V8 alone would let that grow to twice the memory in use.
  NODE_OPTIONS: `--expose-gc --import=data:text/javascript,process.on('SIGWINCH',()=>globalThis.gc())`,
};

interface Fuzzed {
  readonly method: string;
  readonly path: string;
  readonly sent: {
    readonly body?: string | Buffer;
    readonly form?: string;
    readonly headers?: Readonly<Record<string, string>>;
  };
}

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

interface Fuzzer<Request extends Fuzzed> {
  readonly key?: string;
  next(random: Random): Request;
  /** What is wrong with a response, if anything is; it may throw instead. */
  faultOf(request: Request, response: Received): string | undefined;
}

/** Sends a request; again while the service is overloaded by other work on the machine. */
async function send(service: Service, { method, path, sent }: Fuzzed, key?: string): Promise<Received> {
  const form = sent.form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const content = sent.body ?? sent.form;
  const body = content === undefined ? {} : { body: typeof content === 'string' ? content : new Uint8Array(content) };
  for (let tries = 1; ; tries += 1) {
    const headers = { ...authorization, ...form, ...sent.headers };
    const response = await fetch(service.url + path, { method, headers, ...body, redirect: 'manual' });
    const text = await response.text();
    if (response.status !== 503 || tries === MOST_TRIES) {
      return { status: response.status, headers: Object.fromEntries(response.headers), text };
    }
    await sleep(500);
  }
}

/** Sends generated requests and checks each response; returns the statuses that came. */
async function fuzz<Request extends Fuzzed>(
  service: Service,
  { key, next, faultOf }: Fuzzer<Request>,
): Promise<number[]> {
  const statuses = new Set<number>();
  const random = randomOf(seed);
  const sendSome = async (count: number) => {
    let left = count;
    const work = async () => {
      for (; left > 0; left -= 1) {
        const request = next(random);
        const response = await send(service, request, key);
        const { method, path, sent } = request;
        const about = `${method} ${path} ${JSON.stringify(sent)} gets ${response.status}: ${response.text}`;
        expect(response.status, response.status < 500 ? about : `${about}\n${lastError(service)}`).toBeLessThan(500);
        expect(faultOf(request, response), about).toBeUndefined();
        statuses.add(response.status);
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, work));
  };
  await sendSome(REQUESTS / 5);
  const early = await memoryInUse(service);
  await sendSome((REQUESTS * 4) / 5);
  // A new process still grows; only many requests show whether that goes on.
  if (REQUESTS > 1_000) expect(await memoryInUse(service)).toBeLessThan(MOST_GROWTH * early);
  return [...statuses];
}

/** The last error that the service has logged. */
function lastError(service: Service): string | undefined {
  const { stdout, stderr } = service.output();
  return `${stdout}\n${stderr}`.split('\n').findLast((line) => line.includes('"level":50'));
}

async function memoryInUse(service: Service): Promise<number> {
  const { pid = 0 } = service.process;
  const seen: number[] = [];
  while (seen.length < 3) {
    process.kill(pid, 'SIGWINCH');
    await sleep(300);
    seen.push(memoryOf(pid)?.now ?? Number.NaN);
  }
  return Math.min(...seen);
}

test(`${REQUESTS} generated requests each: no 5xx, and each response is as documented (seed ${seed})`, {
  timeout: 120_000 + REQUESTS * 200,
}, async () => {
  const service = await startService({ DATA_DIR: await dataFolder(), ...SETTINGS });
  const key = firstKeyOf(service);
  const fields = new URLSearchParams({ url: 'https://example.com', privacy: '0', aliases: FUZZED_ALIASES.join('\n') });
  const created = await call(service, key, '/api/v1/websites', { method: 'POST', body: fields });
  const { data }: { data: { id: string } } = JSON.parse(await created.text());

  const ofOtherProducts = await fuzz(service, {
    next: (random) => fuzzedForeignRequest(random, key),
    faultOf: (request, { status, headers, text }) =>
      foreignFault(request, { status, type: headers['content-type'] ?? '', text }),
  });
  const ofBrowsers = await fuzz(service, {
    next: (random) => fuzzedRequest(random, data.id),
    faultOf: (_request, response) => markupIn(response),
  });
  const ofOwners = await fuzz(service, fuzzedResources(await documentOf(service), key, data.id));
  const ofPeople = await fuzz(service, fuzzedPages(service, await cookieOf(service)));

  expectStatuses(ofOtherProducts, [200, 202, 400], [204, 401, 404]);
  expectStatuses(ofBrowsers, [202, 400], [200, 404]);
  expectStatuses(ofOwners, [200, 422], [201, 400, 404]);
  expectStatuses(ofPeople, [200, 303], [400, 404, 405, 413, 415, 422]);
  expect(service.output().stdout).not.toContain(key);
});

/** @param rarer statuses that a hundred requests may leave out */
function expectStatuses(came: readonly number[], usual: readonly number[], rarer: readonly number[]): void {
  expect(came).toEqual(expect.arrayContaining(REQUESTS > 1_000 ? [...usual, ...rarer] : [...usual]));
}

/** The cookie of the first person, an owner. */
async function cookieOf({ url }: Service): Promise<string> {
  const body = new URLSearchParams({ email: 'owner@example.com', name: 'Owner', password: 'correct horse battery' });
  const init = { method: 'POST', headers: { origin: url }, body, redirect: 'manual' } as const;
  const response = await fetch(`${url}/setup/${SETUP_TOKEN}`, init);
  expect(response.status).toBe(303);
  return response.headers.get('set-cookie')?.split(';')[0] ?? '';
}

/** Requests to all pages that links and forms lead to, by somebody who is signed in. */
function fuzzedPages({ url }: Service, cookie: string): Fuzzer<PageRequest> {
  const generator = createFuzzedPages('/');
  return {
    next(random) {
      const { method, path, sent } = generator.next(random);
      // Webhooks deliver nowhere.
      const body = /webhooks/.test(path)
        ? sent.body?.toString().replaceAll(/https?%3A%2F%2F[^&]*/gi, encodeURIComponent(NOWHERE))
        : sent.body;
      return { method, path, sent: { headers: { ...sent.headers, cookie, origin: url }, ...(body && { body }) } };
    },
    faultOf({ method, path }, response) {
      if (response.headers.location?.startsWith('/sign-in')) return 'signed out';
      if (method !== 'HEAD' && isHtml(response)) generator.learn(path, response.text);
      return markupIn(response);
    },
  };
}

function isHtml({ headers }: Received): boolean {
  return headers['content-type']?.startsWith('text/html') ?? false;
}

function markupIn(response: Received): string | undefined {
  return isHtml(response) && response.text.includes(MARKUP) ? 'unescaped markup' : undefined;
}

async function documentOf(service: Service): Promise<OpenApiDocument> {
  return JSON.parse(await (await fetch(`${service.url}/openapi.json`)).text());
}

/** Requests to all that belongs to a website or an account. */
function fuzzedResources(document: OpenApiDocument, key: string, website: string): Fuzzer<ResourceRequest> {
  const contract = contractOf(document);
  const generator = createFuzzedResources(document);
  const ids: KnownIds = new Map([['id', website]]);
  return {
    key,
    next(random) {
      const request = generator.next(random, ids);
      const { body } = request.sent;
      if (!request.pattern.startsWith('/api/v1/webhooks') || typeof body !== 'string') return request;
      const local = body.replaceAll(/"[a-z]+:\/\/[^"]*"/gi, JSON.stringify(NOWHERE));
      return { ...request, sent: { ...request.sent, body: local } };
    },
    faultOf({ pattern, method, path }, response) {
      contract(method, path, response);
      if (response.status === 201) generator.learn(pattern, response.text, ids);
      return undefined;
    },
  };
}
