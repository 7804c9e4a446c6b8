import type { IsCommonPassword } from '@hitherto/domain/people';
import { linesOfList } from './lists.ts';

/** Loads the passwords that are tried first, of those that are long enough to be chosen here. Case does not matter. */
export async function loadCommonPasswords(): Promise<IsCommonPassword> {
  const common = new Set(await linesOfList('common-passwords.txt'));
  return (password) => common.has(password.toLowerCase());
}
