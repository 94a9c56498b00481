import { Button, FileButton, Group, PasswordInput, SimpleGrid, Stack, Switch, Text, Textarea } from '@mantine/core'
import { FileUp } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { Body, Reply } from '../../api/client.ts'
import { useChange } from '../../api/hooks.ts'
import { Confirm } from '../../components/confirm.tsx'
import { Panel } from '../../components/panel.tsx'
import { AppliedView } from './applied-view.tsx'
import { PlanView } from './plan-view.tsx'
import { planSummary } from './plan-words.ts'
import { useConfigText } from './use-config-text.ts'

type Applied = Reply<'config.apply'>
type File = { body: Body<'config.plan'>; query: { prune: 'true' | 'false' } }

/** Shows what a file would change, then applies it. */
export function ApplyPanel() {
  const plan = useChange('config.plan')
  const apply = useChange('config.apply')
  const [applied, setApplied] = useState<Applied | null>(null)
  const [planned, setPlanned] = useState<File | null>(null)
  const [isAsking, setAsking] = useState(false)

  function forget() {
    plan.reset()
    apply.reset()
    setApplied(null)
  }

  function show(file: File) {
    forget()
    setPlanned(file)
    plan.mutate(file)
  }

  function confirm() {
    if (planned === null) return
    const onSuccess = (result: Applied) => {
      setApplied(result)
      setAsking(false)
      plan.reset()
    }
    apply.mutate(planned, { onSuccess })
  }

  return (
    <Panel
      title="Apply a file"
      description="YAML or JSON, like switchyard.yaml. You see the changes before anything is applied."
    >
      <Stack>
        <FileForm isBusy={plan.isPending} error={plan.error?.message ?? null} onEdit={forget} onShow={show} />
        {applied !== null && <AppliedView of={applied} />}
        {plan.data !== undefined && (
          <>
            <PlanView {...plan.data} />
            {plan.data.changes.length > 0 && (
              <Group justify="flex-end">
                <Button onClick={() => setAsking(true)}>Apply these changes</Button>
              </Group>
            )}
            <Confirm
              isOpen={isAsking}
              onClose={() => setAsking(false)}
              title="Apply this file?"
              action="Apply"
              isBusy={apply.isPending}
              error={apply.error}
              onConfirm={confirm}
            >
              {planSummary(plan.data.changes, plan.data.unchanged)} Everything is applied at once, from the next call.
              What the file names can then be changed only by a file.
            </Confirm>
          </>
        )}
      </Stack>
    </Panel>
  )
}

interface FileFormProps {
  isBusy: boolean
  error: string | null
  /** The input has changed, so the plan on screen is outdated. */
  onEdit: () => void
  onShow: (file: File) => void
}

function FileForm({ isBusy, error, onEdit, onShow }: FileFormProps) {
  const [text, setText] = useState('')
  const [values, setValues] = useState<Record<string, string>>({})
  const [prune, setPrune] = useState(false)
  const { config, problem } = useConfigText(text)
  const isFilled = config?.variables.every((name) => (values[name] ?? '') !== '') ?? false

  function change(next: string) {
    setText(next)
    onEdit()
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    // The gateway checks every field and names the first that is wrong.
    if (config === null || !isFilled) return
    const body = (config.filled(values) ?? {}) as Body<'config.plan'>
    onShow({ body, query: { prune: prune ? 'true' : 'false' } })
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <Textarea
          label="Configuration"
          description="Paste it here, or choose a file"
          placeholder={'workspaces:\n  default:\n    routes: …'}
          autosize
          minRows={8}
          maxRows={22}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          // The message below says where it is wrong; a whole text in red would be hard to read.
          styles={{ input: { color: 'var(--text-strong)' } }}
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
          error={problem ?? error}
        />
        <Variables
          names={config?.variables ?? []}
          values={values}
          onChange={(next) => {
            setValues(next)
            onEdit()
          }}
        />
        <Switch
          label="Delete what the file no longer names"
          description="Only what an earlier file created. Otherwise it is left alone and listed."
          checked={prune}
          onChange={(event) => {
            setPrune(event.currentTarget.checked)
            onEdit()
          }}
        />
        <Group justify="space-between">
          <FileButton
            accept=".yaml,.yml,.json,application/yaml,application/json"
            onChange={(file) => void file?.text().then(change)}
          >
            {(props) => (
              <Button {...props} variant="default" leftSection={<FileUp size={16} aria-hidden />}>
                Choose a file
              </Button>
            )}
          </FileButton>
          <Button type="submit" variant="light" loading={isBusy} disabled={config === null || !isFilled}>
            Show what it would change
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Variables(props: {
  names: readonly string[]
  values: Readonly<Record<string, string>>
  onChange: (values: Record<string, string>) => void
}) {
  const { names, values, onChange } = props
  if (names.length === 0) return null
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        Values for the variables in the file. They are sent with it and not stored in this browser.
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {names.map((name) => (
          <PasswordInput
            key={name}
            label={<span className="mono">{name}</span>}
            autoComplete="off"
            required
            value={values[name] ?? ''}
            onChange={(event) => onChange({ ...values, [name]: event.currentTarget.value })}
          />
        ))}
      </SimpleGrid>
    </Stack>
  )
}
