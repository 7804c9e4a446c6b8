import type { ComponentChildren, JSX } from 'preact';

interface ResourceListProps {
  /** The owner's last action. */
  readonly done: string | undefined;
  /** What is to be read first. */
  readonly above: ComponentChildren;
  readonly purpose: string;
  readonly notice: ComponentChildren;
  /** Adds one, where that is allowed: a link, or a form above or below the list. */
  readonly add: JSX.Element | undefined;
  readonly addsFirst: boolean;
  readonly items: readonly JSX.Element[];
  /** Said where there can be no more. */
  readonly isFull: string | undefined;
}

/** The resources of an owner. */
export function ResourceList({ done, above, purpose, notice, add, addsFirst, items, isFull }: ResourceListProps) {
  return (
    <>
      <Done text={done} />
      {above}
      <p>{purpose}</p>
      {notice}
      {addsFirst && add}
      {items.length > 0 && <ul class="card definitions">{items}</ul>}
      {isFull !== undefined && <p>{isFull}</p>}
      {!addsFirst && add}
    </>
  );
}

export function Done({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p class="notice good" role="status">
      {text}
    </p>
  );
}

interface ItemProps {
  readonly name: string;
  readonly summary: ComponentChildren;
  /** Whether forms open below it. */
  readonly opens: boolean;
  readonly children: ComponentChildren;
}

/** A resource in the list, and what can be done with it. */
export function Item({ name, summary, opens, children }: ItemProps) {
  return (
    <li class={opens ? 'opens' : undefined}>
      <div>
        <bdi>
          <strong>{name}</strong>
        </bdi>
        <p class="hint">{summary}</p>
      </div>
      {children}
    </li>
  );
}

export interface ItemLink {
  readonly text: string;
  /** The whole text, for people who do not see what the link is next to. */
  readonly label: string;
  readonly href: string;
}

/** Links to the pages of a resource. */
export function ItemLinks({ links }: { readonly links: readonly ItemLink[] }) {
  return (
    <div class="buttons">
      {links.map(({ text, label, href }) => (
        <a key={text} href={href} aria-label={label}>
          {text}
        </a>
      ))}
    </div>
  );
}

interface ItemFormsProps {
  readonly name: string;
  readonly isOpen: boolean;
  /** The form that changes it, where that is possible. */
  readonly form: JSX.Element | undefined;
  readonly verb: 'Delete' | 'Revoke';
  readonly action: string;
  readonly consequence: string | undefined;
}

/** The forms that change and delete a resource. */
export function ItemForms({ name, isOpen, form, verb, action, consequence }: ItemFormsProps) {
  const summary = form === undefined ? verb : 'Change';
  return (
    <details open={isOpen}>
      <summary aria-label={`${summary} ${name}`}>{summary}</summary>
      {form}
      <form method="post" action={action}>
        {consequence !== undefined && <p class="hint">{consequence}</p>}
        <button class="danger" type="submit">
          {verb} it
        </button>
      </form>
    </details>
  );
}
