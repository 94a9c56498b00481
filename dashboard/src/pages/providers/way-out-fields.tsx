import { Radio, Stack, Textarea, TextInput } from '@mantine/core'
import type { ProxyDraft } from './provider-draft.ts'

export interface ProxyFieldProps {
  value: ProxyDraft
  onChange: (value: ProxyDraft) => void
  error: string | undefined
}

/** The proxy on the way to it. Its password is written and never read. */
export function ProxyField({ value, onChange, error }: ProxyFieldProps) {
  return (
    <Radio.Group
      label="Proxy"
      value={value.kind}
      onChange={(kind) => onChange({ ...value, kind: kind as ProxyDraft['kind'] })}
      {...(value.kind === 'own' ? {} : { error })}
    >
      <Stack gap="xs" mt={6}>
        <Radio value="environment" label="Same as the gateway" description="HTTPS_PROXY, HTTP_PROXY and NO_PROXY" />
        <Radio value="none" label="None" />
        <Radio value="own" label="Its own" />
        {value.kind === 'own' && (
          <TextInput
            aria-label="Address of the proxy"
            description="Add user:password@ before the host if needed. The password is hidden after saving (***)."
            placeholder="http://127.0.0.1:3128"
            value={value.url}
            onChange={(event) => onChange({ ...value, url: event.currentTarget.value })}
            error={error}
            autoComplete="off"
            required
          />
        )}
      </Stack>
    </Radio.Group>
  )
}

export interface AuthoritiesFieldProps {
  value: string
  onChange: (value: string) => void
  error: string | undefined
}

export function AuthoritiesField({ value, onChange, error }: AuthoritiesFieldProps) {
  return (
    <Textarea
      label="Certificate authorities"
      description="PEM. Empty uses the system CAs."
      placeholder="-----BEGIN CERTIFICATE-----"
      classNames={{ input: 'mono' }}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
      autosize
      minRows={2}
      maxRows={8}
    />
  )
}
