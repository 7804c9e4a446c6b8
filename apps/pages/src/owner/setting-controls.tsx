import type { Fault } from '@hitherto/domain/base';
import { type SettingName, TIME_ZONE_NAMES } from '@hitherto/domain/websites';
import { LANGUAGE_TABLE, LANGUAGES, type Words } from '@hitherto/words';
import type { JSX } from 'preact';
import { useLocale } from '../shared/locale.tsx';
import { Faults, SelectField, TextAreaField, TextField } from './field.tsx';

interface ControlProps {
  /** The name of the field. */
  readonly name: string;
  readonly value: string | undefined;
  readonly faults: readonly Fault[];
}

type Control = (props: ControlProps) => JSX.Element;
type Texts = Words['settings']['fields'];
/** The settings whose texts have a label and a hint, and the settings with options. */
type Hinted = { [Name in SettingName]: Texts[Name] extends { hint: string } ? Name : never }[SettingName];
type Optional = Exclude<SettingName, Hinted>;

/** The intention of each setting, in the order of the form. */
const GROUPS: Readonly<Record<SettingName, keyof Words['settings']['groups']>> = {
  timeZone: 'website',
  label: 'website',
  language: 'website',
  privacy: 'sharing',
  emailReports: 'sharing',
  report: 'sharing',
  embedOrigins: 'sharing',
  engagement: 'collecting',
  excludeBots: 'collecting',
  excludedParams: 'collecting',
  pageRules: 'collecting',
  excludedIps: 'collecting',
  aliases: 'collecting',
};

const SETTINGS = Object.keys(GROUPS) as readonly SettingName[];

/** The settings by intention. */
export const SETTING_GROUPS = (['website', 'sharing', 'collecting'] as const).map((name) => ({
  name,
  settings: SETTINGS.filter((setting) => GROUPS[setting] === name),
}));

/** The controls of the settings. */
export const CONTROLS: Readonly<Record<SettingName, Control>> = {
  privacy: choice('privacy'),
  emailReports: check('emailReports'),
  report: choice('report'),
  excludeBots: check('excludeBots'),
  engagement: check('engagement'),
  excludedParams: lines('excludedParams'),
  pageRules: lines('pageRules'),
  excludedIps: lines('excludedIps'),
  timeZone: line('timeZone', TIME_ZONE_NAMES),
  aliases: lines('aliases'),
  embedOrigins: lines('embedOrigins'),
  label: line('label'),
  language: pick(
    'language',
    LANGUAGES.map((language) => [language, LANGUAGE_TABLE[language].name]),
  ),
};

/** A choice among values that the numbers from 0 stand for. */
function choice(setting: Optional): Control {
  return ({ name, value, faults }) => {
    const { label, options } = useLocale().words.settings.fields[setting];
    return (
      <fieldset class={`field choice ${name}`}>
        <legend>{label}</legend>
        {options.map(([option, meaning], number) => (
          <label key={option}>
            <input type="radio" name={name} value={number} checked={value === String(number)} required />
            <span>
              <strong>{option}</strong> {meaning}
            </span>
          </label>
        ))}
        <Faults name={name} faults={faults} />
      </fieldset>
    );
  };
}

function check(setting: Hinted): Control {
  return ({ name, value }) => {
    const { label, hint } = useLocale().words.settings.fields[setting];
    return (
      <div class="field">
        {/* Browsers leave out a checkbox that is not checked, and a setting that a form leaves out does not change. */}
        <input type="hidden" name={name} value="0" />
        <label class="check">
          <input type="checkbox" name={name} value="1" checked={value === '1'} aria-describedby={`${name}-hint`} />
          {label}
        </label>
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      </div>
    );
  };
}

/** A choice in a menu, or none. */
function pick(setting: Hinted, options: readonly (readonly [value: string, name: string])[]): Control {
  return (props) => (
    <SelectField {...props} {...useLocale().words.settings.fields[setting]} options={[['', '–'], ...options]} />
  );
}

/** One line of text, with values to choose from if there are any. */
function line(setting: Hinted, offered: readonly string[] = []): Control {
  return (props) => {
    const list = `${props.name}-list`;
    return (
      <TextField
        {...props}
        {...useLocale().words.settings.fields[setting]}
        list={offered.length === 0 ? undefined : list}
        autocomplete="off"
        spellcheck={false}
      >
        {offered.length > 0 && (
          <datalist id={list}>
            {offered.map((option) => (
              <option key={option} value={option} />
            ))}
          </datalist>
        )}
      </TextField>
    );
  };
}

/** A list, one entry a line. */
function lines(setting: Hinted): Control {
  return (props) => (
    <TextAreaField
      {...props}
      {...useLocale().words.settings.fields[setting]}
      rows={Math.min(8, Math.max(2, (props.value ?? '').split('\n').length))}
    />
  );
}
