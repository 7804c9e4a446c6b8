import { isId } from '@hitherto/domain/base';
import type { PageLocks } from '@hitherto/domain/websites';
import type { Database } from '../connection/database.ts';
import { build, type Placeholders, statement } from '../connection/statement.ts';

const findVersion = statement('find_lock_version', (p: Placeholders<{ id: string }>) =>
  build.selectFrom('website').select('lock_version').where('id', '=', p('id')),
);

/** Reads the versions of locks, which a trigger counts. */
export function createPageLocks(database: Database): PageLocks {
  return {
    async versionOf(websiteId) {
      if (!isId(websiteId)) return undefined;
      const [row] = await database.read(findVersion.with({ id: websiteId }));
      return row?.lock_version;
    },
  };
}
