import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LoadGenerator, Operation } from './load.ts';
import { newRunName } from './load.ts';

/** `wrk`, if installed: it takes little CPU from the measured programs on the same machine. */
export function findWrk(): LoadGenerator | undefined {
  const { stdout, error } = spawnSync('wrk', ['--version'], { encoding: 'utf8' });
  if (error !== undefined) return undefined;
  return { name: /wrk \S+/.exec(stdout)?.[0] ?? 'wrk', run };
}

const run: LoadGenerator['run'] = async (url, operation, connections, seconds) => {
  const folder = await mkdtemp(join(tmpdir(), 'hitherto-wrk-'));
  try {
    const script = join(folder, 'operation.lua');
    await writeFile(script, scriptOf(operation));
    const { stdout } = await promisify(execFile)('wrk', [
      '--threads=1',
      `--connections=${connections}`,
      `--duration=${Math.ceil(seconds)}s`,
      '--timeout=10s',
      `--script=${script}`,
      url,
    ]);
    const line = stdout.split('\n').find((text) => text.startsWith('result '));
    const [requests = 0, microseconds = 0, p50 = 0, p99 = 0, failures = 1] = (line ?? '')
      .split(' ')
      .slice(1)
      .map(Number);
    return { requests, seconds: microseconds / 1e6, p50: p50 / 1000, p99: p99 / 1000, failures };
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** wrk counts responses from 400 up as errors, and no others. */
function scriptOf({ method, path, headers, body, ids }: Operation): string {
  const text = (value: string) => `[==[${value}]==]`;
  const [beforeId = '', afterId = ''] = path.split('{id}');
  const paths = path.includes('{id}') ? ids.map((id) => `${beforeId}${id}${afterId}`) : [path];
  const [before = '', after = ''] = (body ?? '').split('{n}');
  const fields = Object.entries(headers).map(([name, value]) => `[ ${text(name)} ]=${text(value)}`);
  const make =
    body === undefined
      ? `if made[at] == nil then made[at] = wrk.format(${text(method)}, paths[at], headers) end
  return made[at]`
      : `return wrk.format(${text(method)}, paths[at], headers, ${text(`${before}${newRunName()}-`)} .. n .. ${text(after)})`;
  return `
local paths = {${paths.map(text).join(',')}}
local headers = {${fields.join(',')}}
local made = {}
local n = 0
function request()
  n = n + 1
  local at = (n - 1) % #paths + 1
  ${make}
end
function done(summary, latency)
  local e = summary.errors
  print(string.format("result %d %d %d %d %d", summary.requests, summary.duration, latency:percentile(50),
    latency:percentile(99), e.connect + e.read + e.write + e.timeout + e.status))
end
`;
}
