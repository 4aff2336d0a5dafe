import type { WireService } from '../../service.ts'

export const chatService: WireService = {
  http: { routes: [{ method: 'POST', path: '/v1/chat/completions' }] },
}
