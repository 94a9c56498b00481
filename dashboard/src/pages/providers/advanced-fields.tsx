import { Button, Stack, Textarea } from '@mantine/core'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import { ChoiceField } from './choice-field.tsx'
import { HeadersEditor } from './headers-editor.tsx'
import { callerLeftOf, type ProviderDraft } from './provider-draft.ts'
import type { ProviderKinds } from './provider-kinds.ts'
import { SpeaksField } from './speaks-field.tsx'
import { AddressField, type AddressFieldProps, KindFields } from './vendor-fields.tsx'
import { AuthoritiesField, ProxyField } from './way-out-fields.tsx'

const CALLER_LEFT = {
  abort: ['Abort', 'Stop the call. Most providers bill what was generated so far.'],
  drain: ['Drain', 'Read to the end. For providers that bill the whole answer anyway.'],
} as const
const ON_ESTIMATE = {
  estimate: ['Estimate', 'Charge an estimate of what was delivered.'],
  hold: ['Hold', 'Charge the whole hold. For providers that may bill more.'],
} as const

export interface AdvancedFieldsProps {
  kinds: ProviderKinds
  draft: ProviderDraft
  /** Null: the address has its place among the main fields. */
  address: AddressFieldProps | null
  onChange: (part: Partial<ProviderDraft>) => void
  problemAt: (field: string) => string | undefined
}

const FIELDS = ['preset', 'family', 'base_url', 'headers', 'proxy', 'ca', 'passthrough']

/** What most providers never need. It opens where the gateway has found a problem. */
export function AdvancedFields(props: AdvancedFieldsProps) {
  const { problemAt } = props
  const [isWanted, setWanted] = useState(false)
  const id = useId()
  const isOpen = isWanted || FIELDS.some((field) => problemAt(field) !== undefined)
  const Icon = isOpen ? ChevronDown : ChevronRight
  return (
    <div>
      <Button
        variant="subtle"
        size="compact-sm"
        px={4}
        leftSection={<Icon size={15} aria-hidden />}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setWanted(!isOpen)}
      >
        Advanced
      </Button>
      <div id={id}>{isOpen && <Fields {...props} />}</div>
    </div>
  )
}

function Fields({ kinds, draft, address, onChange, problemAt }: AdvancedFieldsProps) {
  return (
    <Stack pt="sm">
      <KindFields kinds={kinds} preset={draft.preset} family={draft.family} onChange={onChange} problemAt={problemAt} />
      {address !== null && <AddressField {...address} />}
      <HeadersEditor
        headers={draft.headers}
        onChange={(headers) => onChange({ headers })}
        error={problemAt('headers')}
      />
      <ProxyField value={draft.proxy} onChange={(proxy) => onChange({ proxy })} error={problemAt('proxy')} />
      <AuthoritiesField value={draft.ca} onChange={(ca) => onChange({ ca })} error={problemAt('ca')} />
      <ChoiceField
        label="If the caller leaves a stream"
        choices={CALLER_LEFT}
        value={callerLeftOf(draft, kinds)}
        onChange={(onCallerLeft) => onChange({ onCallerLeft })}
      />
      <ChoiceField
        label="If token usage is missing"
        choices={ON_ESTIMATE}
        value={draft.onEstimate}
        onChange={(onEstimate) => onChange({ onEstimate })}
      />
      <Textarea
        label="Passed paths"
        description="Callers may use these paths of the provider as they are, one a line; * at the end allows all below. Empty allows none."
        placeholder="/v1/files/*"
        autosize
        value={draft.passthrough}
        onChange={(event) => onChange({ passthrough: event.currentTarget.value })}
        error={problemAt('passthrough')}
      />
      <SpeaksField value={draft.speaks} onChange={(speaks) => onChange({ speaks })} />
    </Stack>
  )
}
