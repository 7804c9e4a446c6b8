import { dayOf, type PasswordHasher, type Website } from '@hitherto/domain';
import { clientNetwork, decodeBodies } from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { setCookie, UNLOCK_COOKIE } from '../shared/cookies.ts';
import { MessagePage, sendPage } from '../shared/page.tsx';
import { statisticsPath, unlockPath } from '../shared/paths.ts';
import { isOwnOrigin, queryParameters } from '../shared/request.ts';
import { sendForeignOrigin } from '../shared/send-error.tsx';
import { type ById, findPage, type PageAccess } from './find-page.ts';
import { hrefOf, parametersOf, readSelection } from './selection.ts';
import { makeUnlock, UNLOCK_MS } from './unlock.ts';
import { createUnlockLimit, type UnlockLimit } from './unlock-limit.ts';

export interface UnlockDependencies extends PageAccess {
  readonly passwords: PasswordHasher;
}

type UnlockRequest = ById & { Body: Readonly<Record<string, unknown>> };

const MAX_PASSWORD_LENGTH = 256;

/** Unlocks a page for viewers who know its password (statistics.md, section 6). */
export function unlockRoute(scope: FastifyInstance, deps: UnlockDependencies): void {
  const limit = createUnlockLimit();
  decodeBodies(scope);

  // After a wrong password the browser shows this address; whoever opens it gets the form again.
  scope.get<{ Params: { id: string } }>('/statistics/:id/unlock', async ({ params }, reply) =>
    reply.redirect(statisticsPath(encodeURIComponent(params.id)), 303),
  );

  scope.post<UnlockRequest>('/statistics/:id/unlock', async (request, reply) => {
    if (isOwnOrigin(request) === false) return sendForeignOrigin(reply);
    const { website, zone } = await findPage(deps, request);
    const selection = readSelection(queryParameters(request), dayOf(zone, deps.now()));
    const outcome =
      website.privacy === 'password' ? await tryPassword(deps.passwords, limit, request, website) : 'open';
    if (outcome === 'open') return reply.redirect(hrefOf(statisticsPath(website.id), selection), 303);
    if (outcome === 'right') {
      await setUnlock(deps, request, reply, website);
      return reply.redirect(hrefOf(statisticsPath(website.id), selection), 303);
    }
    reply.code(outcome === 'wrong' ? 403 : 429);
    if (outcome !== 'wrong') reply.header('retry-after', outcome);
    const parameters = parametersOf(selection).toString();
    return sendPage(reply, <UnlockPage websiteId={website.id} parameters={parameters} refusal={outcome} />);
  });
}

/** Whether the password is right, or the whole seconds until the client may try again. */
function tryPassword(
  passwords: PasswordHasher,
  limit: UnlockLimit,
  request: FastifyRequest<UnlockRequest>,
  { id, passwordHash }: Website,
): Promise<'right' | 'wrong' | number> {
  const { password } = request.body;
  return limit.attempt(clientNetwork(request.ip), id, async () => {
    if (passwordHash === null || typeof password !== 'string') return false;
    return [...password].length <= MAX_PASSWORD_LENGTH && passwords.verify(passwordHash, password);
  });
}

async function setUnlock(
  deps: UnlockDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  website: Website,
): Promise<void> {
  setCookie(request, reply, {
    name: UNLOCK_COOKIE,
    value: await makeUnlock(deps.locks, website, new Date(deps.now().getTime() + UNLOCK_MS)),
    path: statisticsPath(website.id),
    maxAgeMs: UNLOCK_MS,
  });
}

interface UnlockPageProps {
  readonly websiteId: string;
  /** The path of the requested page. */
  readonly parameters: string;
  /** What was wrong with the last password, or the seconds until the next try. */
  readonly refusal?: 'wrong' | number;
}

/** Asks for the password of a statistics page. */
export function UnlockPage({ websiteId, parameters, refusal }: UnlockPageProps) {
  const path = unlockPath(websiteId);
  return (
    <MessagePage title="Protected statistics">
      <p>This page is protected by a password.</p>
      <form method="post" action={parameters === '' ? path : `${path}?${parameters}`}>
        <label for="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          required
          aria-describedby={refusal === undefined ? undefined : 'fault'}
          aria-invalid={refusal === 'wrong' ? 'true' : undefined}
        />
        {refusal !== undefined && (
          <p class="fault" id="fault" role="alert">
            {refusal === 'wrong'
              ? 'This is not the password.'
              : `Too many wrong passwords. Try again in ${waitOf(refusal)}.`}
          </p>
        )}
        <button type="submit">Show the statistics</button>
      </form>
    </MessagePage>
  );
}

function waitOf(seconds: number): string {
  if (seconds === 1) return '1 second';
  return seconds <= 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}
