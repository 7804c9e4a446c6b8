import { randomUUID } from 'node:crypto';
import { rowsOf } from '@hitherto/testing/databases';
import { runs } from '@hitherto/testing/runs';
import { expect, test } from 'vitest';
import { createTestDatabase, runCommand } from './support/commands.ts';
import { startService } from './support/program.ts';

// Nothing tells whether an address has a sign-in (people.md, "Signing in"), on PostgreSQL.

const PUBLIC_URL = 'http://stats.example';
const TRIES = runs(30, 300);
/** How far the medians may be apart: few tries tell a missing statement, many tell a tenth. */
const APART = TRIES < 300 ? 0.5 : 0.1;
/** On a busy machine one round may be disturbed; a difference that is there shows in all. */
const ROUNDS = 4;

/** A service that mails, an owner who is signed in, and a hundred others who have a sign-in. */
async function start() {
  const { DATABASE_URL } = await createTestDatabase();
  const env = {
    DATABASE_URL,
    // Nobody listens there: mails wait.
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'stats@example.com',
    PUBLIC_URL,
    SECRET_KEY: 'a key of the installation, 32 characters long',
    TRUST_PROXY: '127.0.0.1,::1',
  };
  const account = (await runCommand(['accounts', 'create', '--name', 'agency'], env)).stdout.trim();
  const link = await runCommand(['people', 'create', '--email', 'owner@example.com'], env);
  const service = await startService(env);
  let count = 0;
  const post = async (path: string, form: Record<string, string>, cookie = '') => {
    count += 1;
    const network = `11.${count >> 8}.${count & 255}.1`;
    const headers = { origin: PUBLIC_URL, 'x-forwarded-for': network, cookie };
    const start = performance.now();
    const response = await fetch(service.url + path, {
      method: 'POST',
      headers,
      body: new URLSearchParams(form),
      redirect: 'manual',
    });
    const text = await response.text();
    return {
      ms: performance.now() - start,
      status: response.status,
      text,
      cookies: response.headers.get('set-cookie'),
    };
  };
  const joined = await post(new URL(link.stdout.trim()).pathname, { name: 'Owner', password: 'correct horse battery' });
  const cookie = joined.cookies?.split(';')[0] ?? '';
  const known = Array.from({ length: TRIES / 3 }, () => `${randomUUID()}@example.com`);
  await rowsOf(
    DATABASE_URL,
    `insert into person (id, email, email_key, is_verified, name, created_at, updated_at)
     select gen_random_uuid(), email, email, true, 'x', now(), now() from unnest('{${known.join()}}'::text[]) email`,
  );
  const invitations = `/accounts/${account}/invitations`;
  const invite = (email: string) => post(invitations, { email, role: 'viewer', reach: 'all' }, cookie);
  const clear = () => rowsOf(DATABASE_URL, 'delete from person_link');
  return { known, clear, invite, forgot: (email: string) => post('/forgot', { email }) };
}

function median(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
}

test.each([
  ['a link for a new password is asked for', 'forgot', 200],
  ['somebody is invited', 'invite', 201],
] as const)(
  'it takes as long whether or not the address has a sign-in where %s',
  { timeout: 300_000 },
  async (_, way, expected) => {
    const { known, clear, ...ways } = await start();
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await clear();
      const unknown = known.map(() => `${randomUUID()}@example.com`);
      const times: { known: number[]; unknown: number[] } = { known: [], unknown: [] };
      const texts: string[] = [];
      for (let count = 0; count < TRIES; count += 1) {
        // A few addresses are invited again and again: an account has at most a hundred open invitations.
        const place = way === 'invite' ? count % 10 : count % known.length;
        // In turns, and the first of them in turns, too.
        for (const who of count % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)) {
          const { ms, status, text } = await ways[way]((who === 'known' ? known : unknown)[place] ?? '');
          if (status !== expected) throw new Error(`${status}: ${text}`);
          times[who].push(ms);
          texts.push(way === 'forgot' ? text.replace(/[\w-]+@example\.com/g, '') : '');
        }
      }
      expect(new Set(texts).size).toBe(1);
      ratios.push(median(times.known) / median(times.unknown));
      if (Math.abs((ratios.at(-1) ?? 0) - 1) <= APART) return;
    }
    expect(ratios).toEqual([]);
  },
);
