import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useChange, useOperation } from '../../api/hooks.ts'
import { problemAt } from '../../api/problem.ts'
import { type Access, AccessFields } from '../../components/access-fields.tsx'
import { FormError } from '../../components/form-error.tsx'
import { FormModal } from '../../components/forms/typed-guard.tsx'
import { tell } from '../../components/tell.ts'

export function InvitePerson({ onClose }: { onClose: () => void }) {
  const invite = useChange('invites.create')
  const options = useOperation('sessions.options', {})
  const [email, setEmail] = useState('')
  const [access, setAccess] = useState<Access>({ role: 'viewer', workspaces: [] })
  const oidc = options.data?.oidc

  function submit(event: FormEvent) {
    event.preventDefault()
    const { role, workspaces } = access
    const body = { email: email.trim(), role, workspaces: workspaces.length === 0 ? null : workspaces }
    const onSuccess = () => {
      tell(oidc ? `${body.email} invited. They can sign in now.` : `${body.email} invited, but they can’t sign in yet`)
      onClose()
    }
    invite.mutate({ body }, { onSuccess })
  }

  return (
    <FormModal opened onClose={onClose} title="Invite someone" size="lg">
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            type="email"
            label="E-mail address"
            description="The address they sign in with. Your identity provider must have verified it."
            placeholder="ana@example.com"
            required
            data-autofocus
            autoComplete="off"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            error={problemAt(invite.error, 'email')}
          />
          <AccessFields value={access} onChange={setAccess} error={problemAt(invite.error, 'workspaces')} />
          {oidc === null ? (
            <Alert color="yellow" variant="light" title="They can’t sign in yet">
              Single sign-on isn’t set up on this gateway. The invitation waits for 14 days.
            </Alert>
          ) : (
            <Text size="sm" c="dimmed">
              No e-mail is sent. Ask them to sign in{oidc === undefined ? '' : ` with ${oidc.name}`} at{' '}
              <span className="mono">{window.location.origin}/sign-in</span> within 14 days.
            </Text>
          )}
          <FormError error={invite.error} fields={['email', 'workspaces']} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={invite.isPending} disabled={email.trim() === ''}>
              Invite
            </Button>
          </Group>
        </Stack>
      </form>
    </FormModal>
  )
}
