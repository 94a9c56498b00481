import { Grid, Group, Stack, Text } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { SendHorizontal } from 'lucide-react'
import { useState } from 'react'
import { MayButton } from '../../components/may-button.tsx'
import { Panel } from '../../components/panel.tsx'
import { MediaAnswer } from './media-answer.tsx'
import { buildMedia, EMPTY_MEDIA, type Media } from './media-draft.ts'
import { MediaFields } from './media-fields.tsx'
import { ModelPicker } from './model-picker.tsx'
import { PayerPicker, type PayerPickerProps } from './payer-picker.tsx'
import { useTry } from './use-try.ts'

export interface MediaPlaygroundProps {
  media: Media
  workspace: string
  model: string
  onModel: (id: string | null) => void
  payer: PayerPickerProps
}

/** An image, a speech or a transcript: a real call, whose answer stays on the page. */
export function MediaPlayground({ media, workspace, model, onModel, payer }: MediaPlaygroundProps) {
  const [draft, setDraft] = useState(EMPTY_MEDIA)
  const attempt = useTry()
  const { body, problem: missing } = buildMedia(media, model, draft)
  const problem = missing ?? (payer.value === null ? 'Choose the key to bill.' : null)

  function send() {
    if (problem !== null || body === null || payer.value === null) return
    attempt.send({ query: { workspace, key: payer.value, endpoint: media }, body })
  }
  useHotkeys([['mod+Enter', send]], [])

  const half = { base: 12, md: 6 }
  return (
    <Grid gap="lg">
      <Grid.Col span={half}>
        <Panel>
          <Stack>
            <Group grow align="flex-start" preventGrowOverflow={false}>
              <ModelPicker label="Model" workspace={workspace} value={model} onChange={onModel} />
              <PayerPicker {...payer} />
            </Group>
            <MediaFields
              media={media}
              draft={draft}
              onDraft={(change) => setDraft((shown) => ({ ...shown, ...change }))}
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
      </Grid.Col>
      <Grid.Col span={half}>
        <MediaAnswer attempt={attempt} />
      </Grid.Col>
    </Grid>
  )
}
