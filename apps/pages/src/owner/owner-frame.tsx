import type { ComponentChildren } from 'preact';
import { Frame } from '../shared/page.tsx';
import { HOME, SIGN_OUT, WEBHOOKS } from '../shared/paths.ts';

interface OwnerFrameProps {
  readonly title: string;
  readonly canCopy?: boolean;
  readonly hasImports?: boolean;
  readonly children: ComponentChildren;
}

/** The document around the pages of a signed-in owner. */
export function OwnerFrame({ title, canCopy = false, hasImports = false, children }: OwnerFrameProps) {
  return (
    <Frame title={`${title} · Hitherto`} canCopy={canCopy} hasImports={hasImports}>
      <header class="owner-header">
        <a class="brand" href={HOME}>
          Hitherto
        </a>
        <nav aria-label="Account">
          <a href={HOME}>Websites</a>
          <a href={WEBHOOKS}>Webhooks</a>
        </nav>
        <form method="post" action={SIGN_OUT}>
          <button class="plain" type="submit">
            Sign out
          </button>
        </form>
      </header>
      <main class="owner">{children}</main>
    </Frame>
  );
}

/** Says why the forms of a page do nothing. */
export function ReadOnlyNotice({ canWrite }: { readonly canWrite: boolean }) {
  if (canWrite) return null;
  return <p class="notice">You are signed in with a read-only key, so you cannot change anything.</p>;
}
