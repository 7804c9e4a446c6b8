import { expect, test } from 'vitest';
import { ID, serveCollector, URL_OF_PAGE } from './support/collector.ts';

const HIT = { website: ID, url: URL_OF_PAGE };

test('the tracker and hits are served under paths of one’s own, and under their usual ones', async () => {
  const { ask, send, hits } = await serveCollector({
    scriptPaths: ['/a.js', '/x/y/b.js'],
    hitPaths: ['/x/note', '/n'],
  });

  const scripts = await Promise.all(['/script.js', '/a.js', '/x/y/b.js'].map((url) => ask({ method: 'GET', url })));
  const sent = await Promise.all(['/hits', '/x/note', '/n'].map((url) => send(HIT, {}, { url })));
  const preflight = await ask({ method: 'OPTIONS', url: '/n' });

  expect(scripts.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(scripts.map(({ text }) => /"hits"|"x\/note"|"\.\.\/\.\.\/x\/note"/.exec(text)?.[0])).toEqual([
    '"hits"',
    '"x/note"',
    '"../../x/note"',
  ]);
  expect(scripts.map(({ text }) => text.split('"hits"').length)).toEqual([2, 1, 1]);
  expect(new Set(scripts.map(({ headers }) => headers.etag)).size).toBe(3);
  expect(sent.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect([preflight.status, preflight.headers['access-control-allow-methods'], hits.stored.length]).toEqual([
    204,
    'POST',
    3,
  ]);
});

test('without a path for hits, the tracker under its own path sends to /hits', async () => {
  const { ask } = await serveCollector({ scriptPaths: ['/x/b.js'] });

  expect((await ask({ method: 'GET', url: '/x/b.js' })).text).toContain('"../hits"');
});
