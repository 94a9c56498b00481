import { CredentialsField } from './credentials-field.tsx'
import type { ProviderDraft } from './provider-draft.ts'
import { credentialNames, type ProviderKinds, settingFields } from './provider-kinds.ts'
import { SettingsEditor } from './settings-editor.tsx'

export interface FamilyFieldsProps {
  kinds: ProviderKinds
  draft: ProviderDraft
  onChange: (part: Partial<ProviderDraft>) => void
  problemAt: (field: string) => string | undefined
}

/** What depends on the family that is chosen. */
export function FamilyFields({ kinds, draft, onChange, problemAt }: FamilyFieldsProps) {
  const fields = settingFields(kinds, draft.family)
  const names = credentialNames(kinds, draft.family)
  return (
    <>
      {fields.length > 0 && (
        <SettingsEditor
          fields={fields}
          settings={draft.settings}
          onChange={(settings) => onChange({ settings })}
          error={problemAt('settings')}
        />
      )}
      {names.length > 0 && (
        <CredentialsField
          names={names}
          credentials={draft.credentials}
          onChange={(credentials) => onChange({ credentials })}
          error={problemAt('credentials')}
        />
      )}
    </>
  )
}
