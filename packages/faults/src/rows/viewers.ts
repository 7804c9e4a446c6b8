import { row } from '../row.ts';
import { type ApiResponse, type Client, create } from '../support/client.ts';
import { signIn, unlock } from '../support/cookies.ts';
import { withNumbers } from '../support/numbers-text.ts';
import { createKey } from '../support/program.ts';
import { canary } from '../support/secrets.ts';
import { startService } from '../support/service.ts';

const PATHS = [
  '',
  '/series.csv',
  '/by/page',
  '/by/page.csv',
  '/by/property?event=E&property=p',
  '/by/property.csv?event=E&property=p',
];
const PRIVACIES = ['public', 'private', 'password', 'none'] as const;
/** Of nine viewers, six routes, two methods and four websites. */
const RESPONSES = 9 * 6 * 2 * 4;
const NONE = '01997c3e-0000-7000-8000-00000000dead';

interface Viewer {
  readonly name: string;
  readonly cookie: string;
  readonly isOwner: boolean;
  /** Whether the protected page shows its numbers. */
  readonly isUnlocked: boolean;
}

export const viewers = row('viewers', RESPONSES, 'responses', { perTrial: RESPONSES }, async (trials) => {
  const service = await trials.open(startService());
  const anyone = await trials.open(service.openClient(null));
  let n = 0;
  await trials.each(async ({ open }) => {
    const key = await service.postgres.issueKey('owner');
    const owner = await open(service.openClient(key));
    const password = canary();
    const add = async (privacy: number, name = privacy) =>
      (await create(owner, { url: `https://p${name}.example`, privacy, password })).id;
    const ids = { public: await add(0), private: await add(1), password: await add(2), none: NONE };
    const otherPage = await add(2, 3);
    const unlocked = await unlock(anyone, ids.password, password);
    const readKey = await createKey(service.env, 'owner', '--scope', 'read');
    const viewersOf: readonly Viewer[] = [
      viewer('nobody', ''),
      viewer('the owner', await signIn(anyone, key), true),
      viewer('the owner with a read key', await signIn(anyone, readKey), true),
      viewer('another owner', await signIn(anyone, await service.postgres.issueKey())),
      { ...viewer('an unlock', unlocked), isUnlocked: true },
      viewer('an unlock of another page', await unlock(anyone, otherPage, password)),
      viewer('an altered unlock', unlocked.replace(/=./, '=z')),
      viewer('a made-up session', `hitherto_session=${'A'.repeat(43)}`),
      viewer('a key as session', `hitherto_session=${key}`),
    ];
    for (const each of viewersOf) {
      for (const path of PATHS) {
        for (const method of ['GET', 'HEAD']) n += await look(anyone, each, method, path, ids);
      }
    }
  });
  return withNumbers`${n} responses of ${PATHS.length} routes, each as it must be`;
});

function viewer(name: string, cookie: string, isOwner = false): Viewer {
  return { name, cookie, isOwner, isUnlocked: isOwner };
}

/** Requests the route of each website; returns how many responses were checked. */
async function look(
  client: Client,
  { name, cookie, isOwner, isUnlocked }: Viewer,
  method: string,
  path: string,
  ids: Readonly<Record<(typeof PRIVACIES)[number], string>>,
): Promise<number> {
  const ask = (privacy: (typeof PRIVACIES)[number]) =>
    client.request(method, `/statistics/${ids[privacy]}${path}`, { headers: { cookie } });
  const found = { public: await ask('public'), private: await ask('private'), password: await ask('password') };
  const none = await ask('none');
  const fail = (what: string): never => {
    throw new Error(`${name}: ${method} /statistics/ID${path}: ${what}.`);
  };
  const { public: open, private: hidden, password: guarded } = found;
  if (open.status !== 200) fail(`the public page gets ${open.status}`);
  if (hidden.status !== (isOwner ? 200 : 404)) fail(`the private page gets ${hidden.status}`);
  if (!isOwner && textOf(hidden, ids.private) !== textOf(none, ids.none)) fail('the private page differs from none');
  if (guarded.status !== 200) fail(`the protected page gets ${guarded.status}`);
  if (guarded.headers['cache-control'] !== 'no-store') fail('the protected page may be stored');
  const isAsked = guarded.text.includes('type="password"');
  if (method === 'GET' && isAsked === isUnlocked) fail(`the protected page ${isAsked ? 'asks' : 'does not ask'}`);
  if (none.status !== 404) fail(`no page gets ${none.status}`);
  return PRIVACIES.length;
}

/** The part of a response that could reveal whether there is a page. */
function textOf({ status, headers, text }: ApiResponse, id: string): string {
  const { date: _date, 'x-request-id': _request, ...others } = headers;
  return `${status} ${JSON.stringify(others)} ${text}`.replaceAll(id, 'ID');
}
