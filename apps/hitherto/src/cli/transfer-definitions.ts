import {
  type DefinitionItem,
  type DefinitionItemOf,
  type DefinitionKind,
  funnelInputOf,
  goalInputOf,
  type NewDefinition,
  parseNewFunnel,
  parseNewGoal,
  parseNewSegment,
  segmentInputOf,
} from '@hitherto/domain';
import type { Static } from '@sinclair/typebox';
import type { DefinitionLine } from './transfer-schema.ts';

// Segments, goals and funnels in the lines of an export: with the fields that the API has.

type Line = Static<typeof DefinitionLine>;

export function toDefinitionLine(item: DefinitionItem): object {
  const { type, accountId, websiteId, definition } = item;
  const { id, name, createdAt, updatedAt } = definition;
  const owner = { account_id: accountId, website_id: websiteId };
  const times = { created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() };
  return { type, ...owner, id, name, ...membersOf(item), ...times };
}

/** Throws `InvalidFields` if the API would reject the definition. */
export function toDefinitionItem(line: Line): DefinitionItem {
  switch (line.type) {
    case 'segment': {
      const { name, filters, match } = line;
      return itemOf(line, line.type, parseNewSegment({ name, filters: Object.entries(filters), match }));
    }
    case 'goal':
      return itemOf(line, line.type, parseNewGoal(line));
    case 'funnel':
      return itemOf(line, line.type, parseNewFunnel(line));
  }
}

function membersOf(item: DefinitionItem): object {
  switch (item.type) {
    case 'segment':
      return segmentInputOf(item.definition.content);
    case 'goal':
      return goalInputOf(item.definition.content);
    case 'funnel':
      return funnelInputOf(item.definition.content);
  }
}

function itemOf<Kind extends DefinitionKind>(
  { account_id: accountId, website_id: websiteId, id, created_at, updated_at }: Line,
  type: Kind,
  { name, content }: NewDefinition<Kind>,
): DefinitionItemOf<Kind> {
  const times = { createdAt: new Date(created_at), updatedAt: new Date(updated_at) };
  return { type, accountId, websiteId, definition: { id, name, content, ...times } };
}
