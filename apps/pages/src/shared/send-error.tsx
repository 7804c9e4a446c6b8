import { HttpProblem, prepareProblem } from '@hitherto/http';
import { ENGLISH, type Locale } from '@hitherto/words';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { localeFor, useLocale } from './locale.tsx';
import { MessagePage, sendPage, setHiddenAddress, setPageHeaders } from './page.tsx';
import { HOME, statisticsPath } from './paths.ts';
import { signInPath } from './sign-in-path.ts';

/** Renders an error as a page. @param locale the language of this installation */
export function sendErrorPage(locale: Locale, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  setPageHeaders(reply);
  // The address can have the token of a shared link even if no route matches it. All errors get the same header, because a
  // link that leads nowhere must look like a private page.
  setHiddenAddress(reply);
  reply.removeHeader('vary');
  const details = prepareProblem(error, request, reply);
  const page =
    details.code === 'not_found' ? <NotFoundPage signIn={signInFrom(request)} /> : <ErrorPage details={details} />;
  sendPage(reply, page, localeFor(request, locale));
}

/** A missing page and a page that the viewer may not see get identical responses (pages.md). */
export function pageNotFound(): HttpProblem {
  return new HttpProblem('not_found');
}

/** Rejects a write that another site sent, and says what else may be the cause. */
export function sendForeignOrigin(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { errors } = localeFor(request).words;
  const { publicUrl } = request;
  return sendForbidden(
    reply,
    errors.foreign,
    publicUrl === undefined ? errors.foreignProxy : errors.foreignUrl(publicUrl),
  );
}

/** Explains a problem to a person. */
export function sendExplanation(
  { status, title, explanation }: { readonly status: number; readonly title: string; readonly explanation: string },
  reply: FastifyReply,
): FastifyReply {
  setPageHeaders(reply);
  return sendPage(
    reply,
    <MessagePage title={title}>
      <p>{explanation}</p>
      <p>Responses with this problem have the status {status}.</p>
    </MessagePage>,
    // As all of the API.
    ENGLISH,
  );
}

/** A page with status 403. */
export function sendForbidden(reply: FastifyReply, title: string, text: string): FastifyReply {
  return sendPage(
    reply.code(403),
    <MessagePage title={title}>
      <p>{text}</p>
    </MessagePage>,
  );
}

interface ErrorPageProps {
  readonly details: {
    readonly code: string;
    readonly title: string;
    readonly detail: string;
    readonly request_id: string;
  };
}

/** An error, with the id that finds it in the log. */
function ErrorPage({ details: { code, title, detail, request_id: id } }: ErrorPageProps) {
  const { errors } = useLocale().words;
  const isAway = code === 'unavailable';
  const named = isAway ? errors.unavailable : code === 'rate_limited' ? errors.rateLimited : title;
  return (
    <MessagePage title={named}>
      <p>{isAway ? errors.loadAgain : detail}</p>
      <p class="request-id">{errors.request(id)}</p>
    </MessagePage>
  );
}

/** The address of the form that leads a website's owner back to its statistics. Other addresses may contain secrets. */
function signInFrom({ url }: FastifyRequest): string {
  return url.startsWith(statisticsPath('')) ? signInPath(url) : HOME;
}

/** One page for both missing and hidden pages (pages.md). It depends on its address alone. */
function NotFoundPage({ signIn }: { readonly signIn: string }) {
  const { errors } = useLocale().words;
  return (
    <MessagePage title={errors.notFound}>
      <p>{errors.notFoundText}</p>
      <p>
        {errors.signInIfYours((words) => (
          <a href={signIn}>{words}</a>
        ))}
      </p>
    </MessagePage>
  );
}
