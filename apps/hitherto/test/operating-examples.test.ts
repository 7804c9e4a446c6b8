import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

// The examples of docs/operating.md, which people copy.

const guide = readFileSync(new URL('../../../docs/operating.md', import.meta.url), 'utf8');

/** The examples in a language. */
function examplesIn(language: string): string[] {
  return [...guide.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].flatMap(([, name, text]) =>
    name === language ? [text ?? ''] : [],
  );
}

describe('Each proxy keeps /metrics from the public', () => {
  test.each([
    ['nginx', /^server \{/m, /location = \/metrics \{\s+return 404;/],
    ['haproxy', /^defaults/m, /http-request return status 404 if \{ path \/metrics \}/],
    ['caddyfile', /reverse_proxy/, /respond \/metrics 404/],
  ])('%s', (language, isWhole, denies) => {
    const examples = examplesIn(language).filter((text) => isWhole.test(text));

    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(example).toMatch(denies);
  });
});

test('nginx passes the host with its port, and how the browser came', () => {
  const servers = examplesIn('nginx').filter((text) => text.includes('proxy_pass'));

  expect(servers.length).toBeGreaterThan(1);
  for (const server of servers) {
    expect(server).toContain('proxy_set_header Host $http_host;');
    expect(server).toContain('proxy_set_header X-Forwarded-Proto $scheme;');
  }
});

test('the unit of the service can be enabled, and gives a stop its time', () => {
  const unit = examplesIn('ini').find((text) => text.includes('hitherto.service')) ?? '';

  expect(unit).toMatch(/^\[Unit\][\s\S]*^After=network-online\.target$[\s\S]*^\[Service\]$[\s\S]*^\[Install\]$/m);
  expect(unit).toContain('KillMode=mixed');
  // The default drain and the whole shutdown after it take 15 seconds.
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(15);
});

test('the rules of Prometheus use metrics that the guide lists', () => {
  const [rules = ''] = examplesIn('yaml');
  const used = [...rules.matchAll(/hitherto_\w+/g)].map(([name]) => name.replace(/_(?:count|sum|bucket)$/, ''));

  expect(rules.match(/alert:/g)).toHaveLength(3);
  for (const name of used) expect(guide).toContain(`\`${name}\``);
});
