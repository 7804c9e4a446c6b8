import { ALERT_RULES, MAX_ALERTS } from '@hitherto/domain/alerts';
import { type TSchema, Type } from '@sinclair/typebox';
import { WebsiteParams } from '../../websites/schemas.ts';

const closed = { additionalProperties: false };

const rule = Type.Unsafe<(typeof ALERT_RULES)[number]>({
  type: 'string',
  enum: [...ALERT_RULES],
  description:
    'spike: far more current visitors than usual, or at least threshold. drop: a day so far has far fewer than usual. silence: no hit for some hours. goal: conversions of the day reach threshold. dropped: more than percent of the last hour were dropped.',
});
const number = (description: string) => Type.Unsafe<number | null>({ type: ['integer', 'null'], description });
const numbers = {
  threshold: number('Of spike (optional) the current visitors, of goal the conversions: a whole number from 1.'),
  hours: number('Of silence: a whole number from 1 to 168.'),
  percent: number('Of dropped: a whole number from 1 to 99.'),
  goal_id: Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 64, description: 'Of goal: its id.' }),
};
const targets = {
  email: Type.Boolean({ description: 'Whether it is sent to the address of the account; true by default.' }),
  webhooks: Type.Boolean({ description: 'Whether it is sent to the webhooks that ask for alerts; true by default.' }),
};
const optional = (schemas: Readonly<Record<string, TSchema>>) =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, Type.Optional(schema)]));

const EXAMPLE = { rule: 'silence', hours: 24 };
const SHOWN = {
  id: '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f16',
  rule: 'silence',
  threshold: null,
  hours: 24,
  percent: null,
  goal_id: null,
  email: true,
  webhooks: true,
  created_at: '2026-11-20T12:00:00.000Z',
  updated_at: '2026-11-20T12:00:00.000Z',
};

const fields = { ...optional(numbers), ...optional(targets) };
export const CreateAlert = Type.Object({ rule, ...fields }, { ...closed, $id: 'CreateAlert', examples: [EXAMPLE] });
export const UpdateAlert = Type.Object(
  { rule: Type.Optional(rule), ...fields },
  { ...closed, $id: 'UpdateAlert', examples: [{ hours: 48, email: false }] },
);

// Responses are open: fields may be added within v1.
const Alert = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'UUIDv7.' }),
    rule,
    ...numbers,
    ...targets,
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time', description: 'Strictly later with every change.' }),
  },
  { $id: 'Alert', examples: [SHOWN] },
);

const one = Type.Unsafe<object>({ $ref: 'Alert#' });
export const AlertResponse = Type.Object({ data: one }, { $id: 'AlertResponse', examples: [{ data: SHOWN }] });
export const AlertList = Type.Object(
  { data: Type.Array(one, { maxItems: MAX_ALERTS }) },
  { $id: 'AlertList', examples: [{ data: [SHOWN] }] },
);

export const AlertParams = Type.Object({
  ...WebsiteParams.properties,
  alert_id: Type.String({ description: 'The id of the alert; letter case does not matter.' }),
});

/** The schemas that are referenced by name. */
export const ALERT_SCHEMAS = [CreateAlert, UpdateAlert, Alert, AlertResponse, AlertList];
