import { Alert, Button, Center, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { ApiError, call } from '../api/client.ts'
import { Logo } from './logo.tsx'

export function SignIn() {
  const queries = useQueryClient()
  const [key, setKey] = useState('')
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)

  async function signIn(event: FormEvent) {
    event.preventDefault()
    setBusy(true)
    setError(null)
    try {
      await call('sessions.create', { body: { key: key.trim() } })
      await queries.resetQueries()
    } catch (problem) {
      setError(problem instanceof ApiError ? problem.message : 'This did not work; try again.')
      setBusy(false)
    }
  }

  return (
    <Center component="main" mih="100vh" p="md">
      <Stack w="100%" maw={400} gap="lg">
        <Stack align="center" gap={6}>
          <Logo size={44} />
          <Title order={1}>Switchyard</Title>
          <Text c="dimmed" size="sm">
            Sign in with an admin key
          </Text>
        </Stack>
        <Paper withBorder p="xl" bg="var(--surface-raised)">
          <form onSubmit={signIn}>
            <Stack>
              <PasswordInput
                label="Admin key"
                description="It begins with gw_admin_ and was shown when the gateway first started"
                placeholder="gw_admin_…"
                leftSection={<KeyRound size={16} />}
                value={key}
                onChange={(event) => setKey(event.currentTarget.value)}
                autoComplete="current-password"
                data-autofocus
                autoFocus
                required
              />
              {error !== null && (
                <Alert color="red" variant="light" role="alert">
                  {error}
                </Alert>
              )}
              <Button type="submit" loading={isBusy} fullWidth>
                Sign in
              </Button>
            </Stack>
          </form>
        </Paper>
        <Text c="dimmed" size="xs" ta="center">
          The key stays with the gateway: this browser keeps only a session that ends after a day or when you sign out.
        </Text>
      </Stack>
    </Center>
  )
}
