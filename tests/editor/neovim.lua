-- Shows a finding of `crdkit lsp` in Neovim, applies its fix, and completes by `omnifunc`, as `tests/editor/neovim` says.

local LONGEST = 60000 -- milliseconds for a step

local TEXT = [[
# 😀
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shirts.example.com}
spec:
  group: example.com
  names: {plural: shirts, singular: shirt, kind: Shirt, listKind: ShirtList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, nullable: false} # 😀
  ]]

local function keys(text)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(text, true, false, true), 'n', false)
end

local function finding(code)
  for _, found in ipairs(vim.diagnostic.get(0)) do
    if found.code == code or (found.user_data and found.user_data.lsp and found.user_data.lsp.code == code) then
      return found
    end
  end
end

local session

-- Waits until something is so. The loop of Neovim runs in between, so that keys have their effect.
local function wait(what, is_so)
  local left = LONGEST / 20
  while not is_so() do
    left = left - 1
    assert(left > 0, what)
    vim.defer_fn(function() session() end, 20)
    coroutine.yield()
  end
end

local function play()
  vim.cmd('edit ' .. vim.fn.fnameescape(vim.env.CRDKIT_FILE))
  local lines = vim.split(TEXT, '\n')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
  local own = vim.lsp.start_client({ name = 'crdkit', cmd = { vim.env.CRDKIT, 'lsp' }, root_dir = vim.fn.getcwd() })
  vim.lsp.buf_attach_client(0, own)
  vim.bo.omnifunc = 'v:lua.vim.lsp.omnifunc'

  wait('no finding', function() return finding('dropped-value') end)
  local found = finding('dropped-value')
  local line = vim.api.nvim_buf_get_lines(0, found.lnum, found.lnum + 1, false)[1]
  assert(line:sub(found.col + 1, found.end_col) == 'nullable', vim.inspect(found))

  -- The first of the offered fixes is chosen.
  vim.ui.select = function(items, _, choose) choose(items[1], 1) end
  vim.api.nvim_win_set_cursor(0, { found.lnum + 1, found.col })
  vim.lsp.buf.code_action()
  wait('the fix was not applied', function()
    return vim.api.nvim_buf_get_lines(0, found.lnum, found.lnum + 1, false)[1]
      == '              size: {type: integer} # 😀'
  end)
  wait('the finding stays', function() return not finding('dropped-value') end)

  vim.api.nvim_win_set_cursor(0, { #lines, 0 })
  keys('Asc<C-x><C-o>')
  wait('no completion', function()
    local words = vim.tbl_map(function(item) return item.abbr end, vim.fn.complete_info({ 'items' }).items)
    return vim.tbl_contains(words, 'scope')
  end)
  keys('<C-n><C-y><Esc>')
  wait('nothing was completed', function()
    return vim.api.nvim_buf_get_lines(0, -2, -1, false)[1]:match('^  scope:')
  end)
end

session = coroutine.wrap(function()
  local is_fine, message = pcall(play)
  io.stderr:write(is_fine and 'played a session with Neovim\n' or (tostring(message) .. '\n'))
  vim.cmd(is_fine and 'qall!' or 'cquit!')
end)
vim.schedule(session)
