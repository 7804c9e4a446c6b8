import type { FastifyReply, FastifyRequest } from 'fastify';
import { MessagePage, sendPage } from '../shared/page.tsx';
import { unlockPath } from '../shared/paths.ts';
import { isHttps } from '../shared/request.ts';
import { waitOf } from '../shared/wait-of.ts';
import { hrefOf, lookOf, type Selection, withoutLook } from './selection.ts';

const TITLE = 'Protected statistics';

/**
 * Sends the form that asks for the password of a page. In a frame without https no browser would keep its cookie, so
 * the page says where to open it instead.
 *
 * @param path of the statistics page
 * @param rejection the error of the last password, or the seconds until the next try
 */
export function sendUnlockForm(
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  selection: Selection,
  rejection?: 'wrong' | number,
): FastifyReply {
  if (selection.isEmbedded && !isHttps(request))
    return sendPage(reply, <OpenOutside path={path} selection={selection} />);
  return sendPage(
    reply,
    <UnlockPage path={path} selection={selection} {...(rejection === undefined ? {} : { rejection })} />,
  );
}

function OpenOutside({ path, selection }: { readonly path: string; readonly selection: Selection }) {
  return (
    <MessagePage title={TITLE} {...lookOf(selection)}>
      <p>This page is protected by a password, which can be entered in a frame only over https.</p>
      <p>
        <a href={hrefOf(path, withoutLook(selection))} target="_blank" rel="noopener">
          Open it outside of the frame
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
  return (
    <MessagePage title={TITLE} {...lookOf(selection)}>
      <p>This page is protected by a password.</p>
      <form method="post" action={hrefOf(unlockPath(path), selection)}>
        <label for="password">Password</label>
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
            {rejection === 'wrong'
              ? 'This is not the password.'
              : `Too many wrong passwords. Try again in ${waitOf(rejection)}.`}
          </p>
        )}
        <button type="submit">Show the statistics</button>
      </form>
    </MessagePage>
  );
}
