/* weir completion SHELL: a completion script made from the table of commands. */
#include <stdio.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/output.h"

static void print_formats(void)
{
    for (size_t i = 0; i < weir_output_format_count; i++) {
        printf("%s%s", i == 0 ? "" : " ", weir_output_format_names[i]);
    }
}

static void print_options(const weir_cli_command *command)
{
    for (size_t i = 0; command->words[i] != NULL; i++) {
        printf("%s%s", i == 0 ? "" : " ", command->words[i]);
    }
}

static void print_commands(const char *separator)
{
    for (size_t i = 0; i < weir_cli_command_count; i++) {
        printf("%s%s", i == 0 ? "" : separator, weir_cli_commands[i].name);
    }
}

static void print_bash(void)
{
    printf("# Completion of weir for bash: source <(weir completion bash)\n"
           "_weir()\n"
           "{\n"
           "    local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\" words=\n"
           "    case \"$previous\" in\n"
           "        --format) COMPREPLY=($(compgen -W '");
    print_formats();
    printf("' -- \"$current\")); return ;;\n"
           "        --color) COMPREPLY=($(compgen -W 'auto always never' -- \"$current\")); return ;;\n"
           "    esac\n"
           "    case \"${COMP_WORDS[1]}\" in\n");
    for (size_t i = 0; i < weir_cli_command_count; i++) {
        printf("        %s) words=\"", weir_cli_commands[i].name);
        print_options(&weir_cli_commands[i]);
        printf("\" ;;\n");
    }
    printf("    esac\n"
           "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
           "        words='");
    print_commands(" ");
    printf(" --help --version'\n"
           "    fi\n"
           "    case \"$current\" in\n"
           "        -* | '') COMPREPLY=($(compgen -W \"$words\" -- \"$current\")) ;;\n"
           "        *) COMPREPLY=($(compgen -W \"$words\" -- \"$current\") $(compgen -f -- \"$current\")) ;;\n"
           "    esac\n"
           "}\n"
           "complete -o filenames -F _weir weir\n");
}

/* The summaries hold no quotes that zsh or fish would take apart. */
static void print_zsh(void)
{
    printf("#compdef weir\n"
           "# Completion of weir for zsh: weir completion zsh > \"${fpath[1]}/_weir\"\n"
           "_weir()\n"
           "{\n"
           "    case \"${words[CURRENT-1]}\" in\n"
           "        --format) compadd ");
    print_formats();
    printf("; return ;;\n"
           "        --color) compadd auto always never; return ;;\n"
           "    esac\n"
           "    if (( CURRENT == 2 )); then\n"
           "        local -a commands\n"
           "        commands=(\n");
    for (size_t i = 0; i < weir_cli_command_count; i++) {
        printf("            \"%s:%s\"\n", weir_cli_commands[i].name, weir_cli_commands[i].summary);
    }
    printf("        )\n"
           "        _describe command commands\n"
           "        compadd -- --help --version\n"
           "        return\n"
           "    fi\n"
           "    if [[ \"${words[CURRENT]}\" == -* ]]; then\n"
           "        case \"${words[2]}\" in\n");
    for (size_t i = 0; i < weir_cli_command_count; i++) {
        printf("            %s) compadd -- ", weir_cli_commands[i].name);
        print_options(&weir_cli_commands[i]);
        printf(" ;;\n");
    }
    printf("        esac\n"
           "    else\n"
           "        _files\n"
           "    fi\n"
           "}\n"
           "compdef _weir weir\n");
}

static void print_fish(void)
{
    printf("# Completion of weir for fish: weir completion fish > ~/.config/fish/completions/weir.fish\n");
    for (size_t i = 0; i < weir_cli_command_count; i++) {
        const weir_cli_command *command = &weir_cli_commands[i];
        printf("complete -c weir -n __fish_use_subcommand -f -a %s -d \"%s\"\n", command->name, command->summary);
        for (size_t j = 0; command->words[j] != NULL; j++) {
            const char *word = command->words[j];
            bool is_long = word[0] == '-' && word[1] == '-';
            const char *kind = is_long ? "-l" : word[0] == '-' ? "-s" : "-f -a";
            printf("complete -c weir -n \"__fish_seen_subcommand_from %s\" %s %s", command->name, kind,
                   word + strspn(word, "-"));
            if (strcmp(word, "--format") == 0) {
                printf(" -x -a \"");
                print_formats();
                printf("\"");
            } else if (strcmp(word, "--color") == 0) {
                printf(" -x -a \"auto always never\"");
            }
            printf("\n");
        }
    }
}

int weir_cli_completion(const weir_cli_command *command, int count, char **words)
{
    static const struct {
        const char *shell;
        void (*print)(void);
    } scripts[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        if (count == 1 && strcmp(words[0], scripts[i].shell) == 0) {
            scripts[i].print();
            return WEIR_CLI_DONE;
        }
    }
    weir_error err = {0};
    weir_fail(&err, WEIR_INVALID, "expected the name of a shell: bash, zsh or fish");
    return weir_cli_usage_error(command, &err);
}
