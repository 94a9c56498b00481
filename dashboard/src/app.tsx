import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Router } from 'wouter'
import { ApiError } from './api/client.ts'
import { aroundNavigation } from './components/leave-guard.ts'
import { SignInGate } from './shell/sign-in-gate.tsx'
import { theme, variables } from './theme.ts'

/** The page's policy lets in only styles that carry this; the gateway makes a new one for every answer. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''
// The library that locks scrolling below a dialog looks for it under this name.
Object.assign(globalThis, { __webpack_nonce__: nonce })

const colorScheme = localStorageColorSchemeManager({ key: 'switchyard-color-scheme' })

const queries = new QueryClient({
  queryCache: new QueryCache({
    onError(error, { queryKey }) {
      // The session ended while the page was open: ask who this is again, and the sign-in appears.
      const isEnded = error instanceof ApiError && error.status === 401 && queryKey[0] !== 'sessions.current'
      if (isEnded) void queries.resetQueries({ queryKey: ['sessions.current'] })
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      retry: (failures, error) =>
        failures < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
    },
  },
})

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      colorSchemeManager={colorScheme}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      {/* Away from the right edge, where drawers and dialogs have their buttons. */}
      <Notifications position="bottom-left" limit={4} />
      <QueryClientProvider client={queries}>
        <Router base="/dashboard" aroundNav={aroundNavigation}>
          <SignInGate />
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  )
}
