import { Alert, Grid, Group, Stack, Switch, Text } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { SendHorizontal } from 'lucide-react'
import { useState } from 'react'
import { useAll } from '../../api/hooks.ts'
import { MayButton } from '../../components/may-button.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { ErrorState } from '../../components/states.tsx'
import { useUrlState, useWorkspace } from '../../shell/place.ts'
import { AnswerPanel } from './answer-panel.tsx'
import { CodePanel } from './code-panel.tsx'
import { buildRequest, type Draft } from './draft.ts'
import { MessagesEditor } from './messages-editor.tsx'
import { ModelPicker } from './model-picker.tsx'
import { Parameters } from './parameters.tsx'
import { PayerPicker } from './payer-picker.tsx'
import { useIsStreaming, useTry } from './use-try.ts'

const FIRST: Omit<Draft, 'model'> = {
  messages: [
    { id: 1, role: 'system', content: '' },
    { id: 2, role: 'user', content: '' },
  ],
  temperature: null,
  maxTokens: null,
  isStreamed: false,
  more: '',
}

/** A real call in the name of a key, and the same call as code. The address keeps model and key, never the messages. */
export function PlaygroundPage() {
  const workspace = useWorkspace()
  const [{ model = '', key: chosenKey }, setPlace] = useUrlState()
  const [draft, setDraft] = useState(FIRST)
  const keys = useAll('keys.list', { query: { workspace, state: 'live' } })
  const payers = keys.data?.filter(({ paused_at }) => paused_at === null)
  const attempt = useTry()
  const isStreaming = useIsStreaming(workspace)
  const key = chosenKey ?? payers?.[0]?.id ?? null
  const built = buildRequest({ ...draft, model, isStreamed: draft.isStreamed && isStreaming === true })
  const problem = built.problem ?? (key === null ? 'Choose the key that pays for the call.' : null)

  function send() {
    if (built.body !== null && key !== null) attempt.send({ query: { workspace, key }, body: built.body })
  }
  useHotkeys([['mod+Enter', send]], [])

  return (
    <Page title="Playground" description="A real call: it is admitted, logged and paid for like any other.">
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack gap="lg">
            <Panel>
              <Stack>
                <Group grow align="flex-start" preventGrowOverflow={false}>
                  <ModelPicker workspace={workspace} value={model} onChange={(id) => setPlace({ model: id })} />
                  <PayerPicker keys={payers} value={key} onChange={(id) => setPlace({ key: id })} />
                </Group>
                <MessagesEditor
                  messages={draft.messages}
                  onChange={(messages) => setDraft({ ...draft, messages })}
                  onSend={send}
                />
                <Parameters draft={draft} onChange={(change) => setDraft({ ...draft, ...change })} />
                <Switch
                  label="Stream the answer"
                  description={isStreaming === false ? 'Streaming is off in this workspace.' : undefined}
                  checked={draft.isStreamed && isStreaming === true}
                  disabled={isStreaming !== true}
                  onChange={(event) => setDraft({ ...draft, isStreamed: event.currentTarget.checked })}
                />
                <Group justify="space-between">
                  <Text size="xs" c="dimmed">
                    {problem ?? 'Ctrl + Enter sends'}
                  </Text>
                  <MayButton
                    to="chat.try"
                    onClick={send}
                    disabled={problem !== null}
                    loading={attempt.isPending}
                    rightSection={<SendHorizontal size={16} aria-hidden />}
                  >
                    Send
                  </MayButton>
                </Group>
              </Stack>
            </Panel>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack gap="lg">
            {attempt.error !== null && (
              <Alert color="red" p={0}>
                <ErrorState error={attempt.error} />
              </Alert>
            )}
            <AnswerPanel answered={attempt.data} isWaiting={attempt.isPending && attempt.data === undefined} />
            <CodePanel body={built.body} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  )
}
