import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

// The files in deploy, which people copy, and the examples of docs/operating.md.

const textOf = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const guide = textOf('docs/operating.md');
const haproxy = /```haproxy\n(defaults[\s\S]*?)```/.exec(guide)?.[1] ?? '';
const NGINX = ['deploy/nginx/one.conf', 'deploy/nginx/two.conf'];

describe('each proxy keeps /metrics from the public', () => {
  test.each(NGINX)('%s', (file) => {
    expect(textOf(file)).toMatch(/location = \/metrics \{\s+return 404;/);
  });

  test.each(['deploy/Caddyfile', 'deploy/Caddyfile.two'])('%s', (file) => {
    expect(textOf(file)).toMatch(/respond \/metrics 404/);
  });

  test('HAProxy', () => {
    expect(haproxy).toMatch(/http-request return status 404 if \{ path \/metrics \}/);
  });
});

test.each(NGINX)('%s passes the host with its port, and how the browser came', (file) => {
  expect(textOf(file)).toContain('proxy_set_header Host $http_host;');
  expect(textOf(file)).toContain('proxy_set_header X-Forwarded-Proto $scheme;');
});

test('the unit of the service can be enabled, and gives a stop its time', () => {
  const unit = textOf('deploy/systemd/hitherto.service');

  expect(unit).toMatch(/^\[Unit\][\s\S]*^After=network-online\.target$[\s\S]*^\[Service\]$[\s\S]*^\[Install\]$/m);
  expect(unit).toContain('KillMode=mixed');
  // The default drain and the whole shutdown after it take 15 seconds.
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(15);
});

test('so do the containers', () => {
  const [kubernetes, ...composed] = ['deploy/kubernetes.yaml', 'compose.yaml', 'compose.postgres.yaml'].map(textOf);

  // Its drain is 10 seconds.
  expect(Number(/terminationGracePeriodSeconds: (\d+)/.exec(kubernetes ?? '')?.[1])).toBeGreaterThan(24);
  for (const text of composed) expect(Number(/stop_grace_period: (\d+)s/.exec(text)?.[1])).toBeGreaterThan(15);
});

test('the rules of Prometheus use metrics that the guide lists', () => {
  const rules = textOf('deploy/prometheus-rules.yaml');
  const used = [...rules.matchAll(/hitherto_\w+/g)].map(([name]) => name.replace(/_(?:count|sum|bucket)$/, ''));

  expect(rules.match(/alert:/g)).toHaveLength(3);
  for (const name of used) expect(guide).toContain(`\`${name}\``);
});

test('the docs name each file in deploy', () => {
  const docs = guide + textOf('docs/containers.md');

  for (const name of readdirSync(new URL('../../../deploy', import.meta.url))) expect(docs).toContain(`deploy/${name}`);
});
