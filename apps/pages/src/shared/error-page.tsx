import { MessagePage } from './message-page.tsx';

interface ErrorPageProps {
  readonly details: { readonly title: string; readonly detail: string; readonly request_id: string };
}

/** An error, with the id that finds it in the log. */
export function ErrorPage({ details: { title, detail, request_id: id } }: ErrorPageProps) {
  return (
    <MessagePage title={title}>
      <p>{detail}</p>
      <p class="request-id">Request {id}</p>
    </MessagePage>
  );
}
