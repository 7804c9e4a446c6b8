import { storableString } from '@hitherto/domain/base';
import type { CountedHit } from '@hitherto/domain/hits';

/** Properties as they are stored: all are strings, because PostgreSQL formats some numbers differently from JavaScript. */
export function storableProps(props: NonNullable<CountedHit['props']>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(props).map(([name, value]) => [storableString(name), storableString(String(value))]),
  );
}
