import type { Fault } from '@hitherto/domain/base';
import { MAX_WEBHOOK_URL_BYTES, WEBHOOK_EVENTS, WEBHOOK_FORMATS } from '@hitherto/domain/webhooks';
import { describedBy, Faults, Field } from '../field.tsx';
import type { WebhookValues } from './webhook-form.ts';
import { EVENTS, FORMATS } from './words.ts';

interface WebhookFormProps {
  readonly action: string;
  readonly values: WebhookValues;
  readonly faults: readonly Fault[];
  readonly isNew: boolean;
  readonly canWrite: boolean;
}

/** The settings of a webhook. */
export function WebhookForm({ action, values, faults, isNew, canWrite }: WebhookFormProps) {
  return (
    <form class="settings" method="post" action={action}>
      {faults.length > 0 && (
        <p class="fault" role="alert">
          Nothing was saved: {faults.length === 1 ? 'one field is' : 'some fields are'} not valid.
        </p>
      )}
      <fieldset class="all" disabled={!canWrite}>
        <Field name="url" label="URL" hint="Where events are sent, such as https://example.com/hook" faults={faults}>
          <input
            id="url"
            name="url"
            type="text"
            inputmode="url"
            autocomplete="off"
            spellcheck={false}
            value={values.url}
            required
            maxLength={MAX_WEBHOOK_URL_BYTES}
            {...describedBy('url', faults)}
          />
        </Field>
        {isNew ? (
          <Field
            name="format"
            label="Format"
            hint="For Telegram, the URL of the bot has the chat: …/sendMessage?chat_id=123"
            faults={faults}
          >
            <select id="format" name="format" {...describedBy('format', faults)}>
              {WEBHOOK_FORMATS.map((format) => (
                <option key={format} value={format} selected={format === (values.format ?? 'json')}>
                  {FORMATS[format]}
                </option>
              ))}
            </select>
          </Field>
        ) : (
          <>
            <input type="hidden" name="format" value={values.format} />
            {values.version !== undefined && <input type="hidden" name="version" value={values.version} />}
          </>
        )}
        <fieldset class="field">
          <legend>Events</legend>
          {WEBHOOK_EVENTS.map((event) => (
            <label key={event} class="check">
              <input type="checkbox" name={event} value="1" checked={values[event] === '1'} />
              {EVENTS[event]}
            </label>
          ))}
          <Faults name="events" faults={faults} />
        </fieldset>
        <Field
          name="website_ids"
          label="Websites"
          hint="One address per line, such as example.com; empty for all websites"
          faults={faults}
        >
          <textarea
            id="website_ids"
            name="website_ids"
            rows={3}
            spellcheck={false}
            {...describedBy('website_ids', faults)}
          >
            {`\n${values.website_ids ?? ''}`}
          </textarea>
        </Field>
        {!isNew && (
          <label class="check">
            <input type="checkbox" name="is_active" value="1" checked={values.is_active === '1'} />
            Send events
          </label>
        )}
        <button type="submit">{isNew ? 'Add the webhook' : 'Save'}</button>
      </fieldset>
    </form>
  );
}
