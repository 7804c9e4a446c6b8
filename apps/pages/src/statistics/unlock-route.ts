import { dayOf } from '@hitherto/domain/calendar';
import type { PasswordHasher } from '@hitherto/domain/websites';
import { clientNetwork, decodeForms } from '@hitherto/http';
import type { FastifyInstance } from 'fastify';
import type { AttemptLimit } from '../shared/attempt-limit.ts';
import { FRAMED_UNLOCK_COOKIE, setCookie, UNLOCK_COOKIE } from '../shared/cookies.ts';
import { type Form, valueIn } from '../shared/form.ts';
import { allowFrames } from '../shared/page.tsx';
import { unlockPath } from '../shared/paths.ts';
import { isFramed, isOwnOrigin, queryParameters } from '../shared/request.ts';
import { sendForeignOrigin } from '../shared/send-error.tsx';
import type { Entry, PageAccess, Parameters } from './find-page.ts';
import { hrefOf, readSelection } from './selection.ts';
import { type Lock, makeUnlock } from './unlock.ts';
import { sendUnlockForm } from './unlock-page.tsx';

export interface UnlockDependencies extends PageAccess {
  readonly passwords: PasswordHasher;
}

type UnlockRequest = { Params: Parameters; Body: Form };

const MAX_PASSWORD_LENGTH = 256;

/** Unlocks a page for viewers who know its password (pages.md; sharing.md, "Shared links"). */
export function unlockRoute(scope: FastifyInstance, deps: UnlockDependencies, entry: Entry, limit: AttemptLimit): void {
  const route = unlockPath(entry.pattern);
  decodeForms(scope);

  // After a wrong password the browser shows this URL; a GET of it shows the form again.
  scope.get<{ Params: Parameters }>(route, async (request, reply) => {
    const parameters = queryParameters(request).toString();
    return reply.redirect(`${entry.pathOf(request.params)}${parameters === '' ? '' : `?${parameters}`}`, 303);
  });

  scope.post<UnlockRequest>(route, async (request, reply) => {
    if (isOwnOrigin(request) === false) return sendForeignOrigin(request, reply);
    const found = await entry.find(deps, request);
    const { website, path, zone, lock, unlockEnds } = found;
    allowFrames(reply, website.embedOrigins);
    const now = deps.now();
    const selection = readSelection(queryParameters(request), dayOf(zone, now));
    if (lock === undefined) return reply.redirect(hrefOf(path, selection), 303);
    const password = valueIn(request.body, 'password');
    const outcome = await limit.attempt(clientNetwork(request.ip), lock.name, () =>
      isPassword(deps.passwords, lock, password),
    );
    if (outcome === 'right') {
      const isInFrame = selection.isEmbedded || isFramed(request);
      setCookie(request, reply, {
        name: isInFrame ? FRAMED_UNLOCK_COOKIE : UNLOCK_COOKIE,
        value: await makeUnlock(deps, lock, unlockEnds),
        path,
        maxAgeMs: unlockEnds.getTime() - now.getTime(),
        isFramed: isInFrame,
      });
      return reply.redirect(hrefOf(path, selection), 303);
    }
    reply.code(outcome === 'wrong' ? 403 : 429);
    if (outcome !== 'wrong') reply.header('retry-after', outcome);
    return sendUnlockForm(deps, request, reply, found, selection, outcome);
  });
}

async function isPassword(
  passwords: PasswordHasher,
  { passwordHash }: Lock,
  sent: string | undefined,
): Promise<boolean> {
  if (passwordHash === null || sent === undefined) return false;
  return [...sent].length <= MAX_PASSWORD_LENGTH && passwords.verify(passwordHash, sent);
}
