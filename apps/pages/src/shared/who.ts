import { isOfKey, type SignedIn } from '@hitherto/domain/people';

/** Who is signed in, as pages say it. */
export interface Who {
  readonly name: string;
  readonly isPerson: boolean;
}

export function whoOf(signedIn: SignedIn): Who {
  if (!isOfKey(signedIn)) return { name: signedIn.person.name, isPerson: true };
  const { id, label } = signedIn.key;
  return { name: `Key ${label ?? id.slice(-6)}`, isPerson: false };
}
