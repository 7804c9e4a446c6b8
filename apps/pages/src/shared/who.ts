import { isOfKey, type SignedIn } from '@hitherto/domain/people';
import type { Locale } from '@hitherto/words';

/** Who is signed in, as pages say it. */
export interface Who {
  readonly name: string;
  readonly isPerson: boolean;
}

export function whoOf({ words }: Locale, signedIn: SignedIn): Who {
  if (!isOfKey(signedIn)) return { name: signedIn.person.name, isPerson: true };
  const { id, label } = signedIn.key;
  return { name: words.people.keyNamed(label ?? id.slice(-6)), isPerson: false };
}
