import { MessagePage } from '../shared/page.tsx';
import { HOME } from '../shared/paths.ts';

/** Leads on to the provider. Browsers let no form do that by a redirect: its forms lead to this site alone. */
export function OnwardPage({ name, url }: { readonly name: string; readonly url: string }) {
  return (
    <MessagePage title={`Sign in with ${name}`}>
      <p>
        <a class="button" href={url}>
          Continue
        </a>
      </p>
    </MessagePage>
  );
}

/** The provider does not respond. */
export function AwayPage({ name }: { readonly name: string }) {
  return (
    <MessagePage title={`${name} cannot be reached`}>
      <p>
        It did not respond. Try again later, or <a href={HOME}>sign in</a> in another way.
      </p>
    </MessagePage>
  );
}

/** What came back is not what was asked for. */
export function FailedPage({ name }: { readonly name: string }) {
  return (
    <MessagePage title="That did not work">
      <p>
        {name} did not confirm who you are, or you took longer than ten minutes, or began in another browser or tab.
        Nobody was signed in, and nothing was changed.
      </p>
      <p>
        <a href={HOME}>Start again</a>
      </p>
    </MessagePage>
  );
}

/** Who signed in at the provider is nobody here. */
export function UnknownPage({ name }: { readonly name: string }) {
  return (
    <MessagePage title="Nobody here is known by this sign-in">
      <p>
        You signed in at {name}, but nobody here is linked with that. Ask an owner of an account to invite you. If you{' '}
        <a href={HOME}>sign in here</a> in another way, link {name} on the page with your name.
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
      <button type="submit">Sign in with {name}</button>
    </form>
  );
}
