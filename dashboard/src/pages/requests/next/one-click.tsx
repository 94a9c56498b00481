import { Stack } from '@mantine/core'
import { useChange, useOperation, useVersioned } from '../../../api/hooks.ts'
import { FormError } from '../../../components/form-error.tsx'
import { MayButton } from '../../../components/may-button.tsx'
import { Done } from './done.tsx'
import { isAllowed } from './steps.ts'

/** Lets the calls of a workspace stream. */
export function StreamingOn({ workspace: name }: { workspace: string }) {
  const workspace = useOperation('workspaces.get', { params: { name } })
  const update = useChange('workspaces.update')
  if (workspace.data?.streaming === true) return <Done isQuiet={!update.isSuccess}>Streaming is on in {name} now.</Done>
  return (
    <Stack gap="xs">
      <FormError error={update.error} fields={[]} />
      <MayButton
        to="workspaces.update"
        size="xs"
        loading={update.isPending}
        onClick={() => update.mutate({ params: { name }, body: { streaming: true } })}
      >
        Turn on streaming in {name}
      </MayButton>
    </Stack>
  )
}

/** Adds the model to those that the key may use. */
export function AllowModel({ keyId, model }: { keyId: string; model: string }) {
  const key = useVersioned('keys.get', { params: { id: keyId } })
  const update = useChange('keys.update')
  if (key.data === undefined) return null
  const { value, etag } = key.data
  const allowed = value.allowed_models
  if (allowed === null || isAllowed(allowed, model)) {
    return (
      <Done isQuiet={!update.isSuccess}>
        {value.name} may use {model} now.
      </Done>
    )
  }
  return (
    <Stack gap="xs">
      <FormError error={update.error} fields={[]} onReload={() => void key.refetch()} />
      <MayButton
        to="keys.update"
        size="xs"
        loading={update.isPending}
        onClick={() =>
          update.mutate({ params: { id: keyId }, body: { allowed_models: [...allowed, model] }, ifMatch: etag })
        }
      >
        Allow {model} for {value.name}
      </MayButton>
    </Stack>
  )
}

/** Lets a session go on that was stopped or slowed down as a loop. */
export function ResumeSession({ workspace, session }: { workspace: string; session: string }) {
  const resume = useChange('loops.resume')
  if (resume.isSuccess) return <Done>The session may go on. What it repeated before is forgiven.</Done>
  return (
    <Stack gap="xs">
      <FormError error={resume.error} fields={[]} />
      <MayButton
        to="loops.resume"
        size="xs"
        loading={resume.isPending}
        onClick={() => resume.mutate({ params: { session }, query: { workspace } })}
      >
        Resume session
      </MayButton>
    </Stack>
  )
}
