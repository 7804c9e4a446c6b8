import { useLocale } from '../shared/locale.tsx';

interface DeleteFormProps {
  readonly action: string;
  readonly address: string;
  readonly isWrong: boolean;
}

/** Deletes a website once its address has been typed. */
export function DeleteForm({ action, address, isWrong }: DeleteFormProps) {
  const { settings } = useLocale().words;
  return (
    <form class="settings" method="post" action={action}>
      <p>{settings.deletes(<strong>{address}</strong>)}</p>
      <div class="field">
        <label for="address">{settings.typeAddress}</label>
        <input
          id="address"
          name="address"
          type="text"
          autocomplete="off"
          spellcheck={false}
          required
          aria-describedby={isWrong ? 'address-fault' : undefined}
          aria-invalid={isWrong ? 'true' : undefined}
        />
        {isWrong && (
          <p class="fault" id="address-fault" role="alert">
            {settings.wrongAddress}
          </p>
        )}
      </div>
      <button class="danger" type="submit">
        {settings.deleteWebsite}
      </button>
    </form>
  );
}
