import { MAX_WEBHOOK_URL_BYTES, WEBHOOK_EVENTS, WEBHOOK_FORMATS } from '@hitherto/domain/webhooks';
import { useLocale } from '../../../shared/locale.tsx';
import { Faults, SelectField, TextAreaField, TextField } from '../../field.tsx';
import type { ControlsProps } from '../resource-pages.ts';

/** The settings of a webhook, whose format cannot change. */
export function Controls({ fields, faults, id }: ControlsProps) {
  const { webhook } = useLocale().words.resources;
  const isNew = id === undefined;
  return (
    <>
      <TextField
        name="url"
        label={webhook.url}
        hint={webhook.urlHint}
        value={fields.url}
        faults={faults}
        type="text"
        inputmode="url"
        autocomplete="off"
        spellcheck={false}
        required
        maxLength={MAX_WEBHOOK_URL_BYTES}
      />
      {isNew ? (
        <SelectField
          name="format"
          label={webhook.format}
          hint={webhook.formatHint}
          value={fields.format}
          faults={faults}
          options={WEBHOOK_FORMATS.map((format) => [format, webhook.formats[format]])}
        />
      ) : (
        <input type="hidden" name="format" value={fields.format} />
      )}
      <fieldset class="field">
        <legend>{webhook.eventsLabel}</legend>
        {WEBHOOK_EVENTS.map((event) => (
          <label key={event} class="check">
            <input type="checkbox" name={event} value="1" checked={fields[event] === '1'} />
            {webhook.events[event]}
          </label>
        ))}
        <Faults name="events" faults={faults} />
      </fieldset>
      <TextAreaField
        name="website_ids"
        label={webhook.websites}
        hint={webhook.websitesHint}
        value={fields.website_ids}
        faults={faults}
        rows={3}
      />
      {!isNew && (
        <label class="check">
          <input type="checkbox" name="is_active" value="1" checked={fields.is_active === '1'} />
          {webhook.sendEvents}
        </label>
      )}
    </>
  );
}
