import { MessagePage } from '../shared/message-page.tsx';

interface UnsubscribePageProps {
  /** The website's. */
  readonly address: string;
  /** Where the button posts to; `undefined` if the reports are off. */
  readonly action: string | undefined;
}

/** Asks whether to turn the weekly reports of a website off, or says that they are off. */
export function UnsubscribePage({ address, action }: UnsubscribePageProps) {
  if (action === undefined) {
    return (
      <MessagePage title="Weekly reports are off">
        <p>
          You will get no more reports about <bdi>{address}</bdi>. To get them again, turn them on in the settings of
          the website.
        </p>
      </MessagePage>
    );
  }
  return (
    <MessagePage title="Stop weekly reports?">
      <p>
        A report about <bdi>{address}</bdi> is sent by e-mail every week.
      </p>
      <form method="post" action={action}>
        <button type="submit">Stop these reports</button>
      </form>
    </MessagePage>
  );
}
