import { YOU } from './paths.ts';
import type { Who } from './who.ts';

/** Says who is signed in, and leads people to what is theirs. */
export function WhoLink({ who: { name, isPerson } }: { readonly who: Who }) {
  const text = <bdi>{name}</bdi>;
  return isPerson ? (
    <a class="who" href={YOU}>
      {text}
    </a>
  ) : (
    <span class="who">{text}</span>
  );
}
