import type { FastifyReply, FastifyRequest } from 'fastify';
import { useLocale } from '../shared/locale.tsx';
import { MessagePage } from '../shared/page.tsx';
import { unlockPath } from '../shared/paths.ts';
import { isHttps } from '../shared/request.ts';
import { sendBranded } from '../shared/send-branded.tsx';
import type { FoundPage, PageAccess } from './find-page.ts';
import { hrefOf, lookOf, type Selection, withoutLook } from './selection.ts';

/**
 * Sends the form that asks for the password of a page. In a frame without https no browser would keep its cookie, so
 * the page says where to open it instead.
 *
 * @param rejection the error of the last password, or the seconds until the next try
 */
export function sendUnlockForm(
  deps: Pick<PageAccess, 'access'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { accountId, path }: Pick<FoundPage, 'accountId' | 'path'>,
  selection: Selection,
  rejection?: 'wrong' | number,
): Promise<FastifyReply> {
  const isUseless = selection.isEmbedded && !isHttps(request);
  const page = isUseless ? (
    <OpenOutside path={path} selection={selection} />
  ) : (
    <UnlockPage path={path} selection={selection} {...(rejection === undefined ? {} : { rejection })} />
  );
  return sendBranded(deps, accountId, reply, page);
}

function OpenOutside({ path, selection }: { readonly path: string; readonly selection: Selection }) {
  const { signIn } = useLocale().words;
  return (
    <MessagePage title={signIn.protected} {...lookOf(selection)}>
      <p>{signIn.protectedFrame}</p>
      <p>
        <a href={hrefOf(path, withoutLook(selection))} target="_blank" rel="noopener">
          {signIn.outside}
        </a>
      </p>
    </MessagePage>
  );
}

interface UnlockPageProps {
  /** Of the statistics page. */
  readonly path: string;
  readonly selection: Selection;
  /** The fault of the last password, or the seconds until the next try. */
  readonly rejection?: 'wrong' | number;
}

/** Asks for the password of a statistics page. */
function UnlockPage({ path, selection, rejection }: UnlockPageProps) {
  const { signIn, errors } = useLocale().words;
  return (
    <MessagePage title={signIn.protected} {...lookOf(selection)}>
      <p>{signIn.protectedText}</p>
      <form method="post" action={hrefOf(unlockPath(path), selection)}>
        <label for="password">{signIn.password}</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          required
          aria-describedby={rejection === undefined ? undefined : 'fault'}
          aria-invalid={rejection === 'wrong' ? 'true' : undefined}
        />
        {rejection !== undefined && (
          <p class="fault" id="fault" role="alert">
            {rejection === 'wrong' ? signIn.wrongPassword : signIn.tooManyPasswords(errors.wait(rejection))}
          </p>
        )}
        <button type="submit">{signIn.showStatistics}</button>
      </form>
    </MessagePage>
  );
}
