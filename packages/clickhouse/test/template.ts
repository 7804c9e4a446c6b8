import { TEMPLATE } from '@hitherto/testing/databases';

/** A migrated database of its own, because tests of other packages may run on the same server at the same time. */
export const TEMPLATE_OF_CLICKHOUSE = `${TEMPLATE}_of_clickhouse`;
