import { useLocale } from '../shared/locale.tsx';
import { MessagePage } from '../shared/page.tsx';
import { HOME } from '../shared/paths.ts';

/** Leads on to the provider. Browsers let no form do that by a redirect: its forms lead to this site alone. */
export function OnwardPage({ name, url }: { readonly name: string; readonly url: string }) {
  const { signIn } = useLocale().words;
  return (
    <MessagePage title={signIn.withProvider(name)}>
      <p>
        <a class="button" href={url}>
          {signIn.onward}
        </a>
      </p>
    </MessagePage>
  );
}

/** The provider does not respond. */
export function AwayPage({ name }: { readonly name: string }) {
  const { signIn } = useLocale().words;
  return (
    <MessagePage title={signIn.away(name)}>
      <p>
        {signIn.awayText((words) => (
          <a href={HOME}>{words}</a>
        ))}
      </p>
    </MessagePage>
  );
}

/** What came back is not what was asked for. */
export function FailedPage({ name }: { readonly name: string }) {
  const { signIn } = useLocale().words;
  return (
    <MessagePage title={signIn.failed}>
      <p>{signIn.failedText(name)}</p>
      <p>
        <a href={HOME}>{signIn.startAgain}</a>
      </p>
    </MessagePage>
  );
}

/** Who signed in at the provider is nobody here. */
export function UnknownPage({ name }: { readonly name: string }) {
  const { signIn } = useLocale().words;
  return (
    <MessagePage title={signIn.unknown}>
      <p>
        {signIn.unknownText(name, (words) => (
          <a href={HOME}>{words}</a>
        ))}
      </p>
    </MessagePage>
  );
}

interface ProviderButtonProps {
  readonly action: string;
  readonly name: string;
}

/** Goes on at the provider instead. */
export function ProviderButton({ action, name }: ProviderButtonProps) {
  return (
    <form method="post" action={action}>
      <button type="submit">{useLocale().words.signIn.withProvider(name)}</button>
    </form>
  );
}
