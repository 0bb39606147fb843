/* From a URI to the HTTP addresses of name nodes.
 *
 * "hdfs:" URIs name the port of Hadoop's own protocol; that of WebHDFS comes from an option or from the configuration
 * of the cluster, and is 9870 where nothing says otherwise. The name of a nameservice stands for all its name nodes. */
#include "fs/hdfs/name_nodes.h"

#include "base/text.h"
#include "fs/hdfs/configuration.h"

#define HTTP_PORT  "9870"
#define HTTPS_PORT "9871"
#define RPC_PORT   "8020"

typedef struct resolver {
    const char *root; /* as the user wrote it */
    weir_arena *arena;
    weir_hadoop_configuration configuration;
    bool is_https;
    const char *hint;
} resolver;

static const char *get(const resolver *self, const char *name)
{
    return weir_hadoop_configuration_get(&self->configuration, name);
}

/* The value of "name.suffix"; without a suffix that of "name". */
static const char *get_of(const resolver *self, const char *name, const char *suffix)
{
    return get(self, *suffix ? weir_arena_format(self->arena, "%s.%s", name, suffix) : name);
}

/* ---- addresses ---- */

static size_t host_size(const char *address)
{
    const char *bracket = address[0] == '[' ? strchr(address, ']') : NULL; /* [::1]:9870 */
    return bracket != NULL ? (size_t)(bracket + 1 - address) : strcspn(address, ":");
}

static const char *with_port(const resolver *self, const char *address, const char *port)
{
    return address[host_size(address)] == ':' ? address : weir_arena_format(self->arena, "%s:%s", address, port);
}

/* Whether it is a host and, after a colon, a port. */
static bool is_address(const char *address)
{
    size_t size = host_size(address);
    if (size == 0 || strpbrk(address, "/?#@ \t") != NULL) {
        return false;
    }
    int64_t port = 1;
    return address[size] == 0 ||
           (address[size] == ':' && weir_parse_int64(weir_slice_text(address + size + 1), &port) && port > 0 &&
            port < 65536);
}

/* Makes a URL of an address that may be one already. An address to listen on ("0.0.0.0:9870") is at `host`. */
static int url_of(const resolver *self, const char *address, const char *host, const char **out, weir_error *err)
{
    bool is_https = self->is_https;
    const char *rest = address;
    if (strncmp(address, "https://", 8) == 0 || strncmp(address, "swebhdfs://", 11) == 0) {
        is_https = true;
        rest = strstr(address, "://") + 3;
    } else if (strncmp(address, "http://", 7) == 0 || strncmp(address, "webhdfs://", 10) == 0) {
        is_https = false;
        rest = strstr(address, "://") + 3;
    }
    size_t size = strlen(rest);
    rest = weir_arena_strndup(self->arena, rest, size - (size > 0 && rest[size - 1] == '/'));
    if (!is_address(rest)) {
        return weir_fail(err, WEIR_INVALID, "%s: '%s' is no address of a name node (host:port; %s)", self->root,
                         address, self->hint);
    }
    if (host != NULL && strncmp(rest, "0.0.0.0", host_size(rest)) == 0) {
        rest = weir_arena_format(self->arena, "%.*s%s", (int)host_size(host), host, rest + host_size(rest));
    }
    *out = weir_arena_format(self->arena, "%s://%s", is_https ? "https" : "http",
                             with_port(self, rest, is_https ? HTTPS_PORT : HTTP_PORT));
    return WEIR_OK;
}

static int urls_of_list(const resolver *self, const char *list, weir_name_nodes *out, weir_error *err)
{
    const char **addresses;
    size_t count = weir_hadoop_split_list(list, self->arena, &addresses);
    for (size_t i = 0; i < count; i++) {
        WEIR_TRY(url_of(self, addresses[i], NULL, &addresses[i], err));
    }
    if (count == 0) {
        return weir_fail(err, WEIR_INVALID, "%s: no address of a name node is given (%s)", self->root, self->hint);
    }
    out->urls = addresses;
    out->count = count;
    return WEIR_OK;
}

/* The address for WebHDFS of the name node whose properties end in `suffix`; `rpc` is its address in "hdfs:" URIs. */
static int url_of_name_node(const resolver *self, const char *suffix, const char *rpc, const char **out,
                            weir_error *err)
{
    const char *property = self->is_https ? "dfs.namenode.https-address" : "dfs.namenode.http-address";
    const char *address = get_of(self, property, suffix);
    if (address == NULL && rpc != NULL) {
        address = weir_arena_strndup(self->arena, rpc, host_size(rpc));
    }
    if (address == NULL) {
        return weir_fail(err, WEIR_INVALID, "%s: %s.%s is not set (%s)", self->root, property, suffix, self->hint);
    }
    return url_of(self, address, rpc, out, err);
}

/* ---- nameservices ---- */

static bool is_nameservice(const resolver *self, const char *name)
{
    const char *list = get(self, "dfs.nameservices");
    const char **names = NULL;
    size_t count = list != NULL ? weir_hadoop_split_list(list, self->arena, &names) : 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static int resolve_nameservice(const resolver *self, const char *name, weir_name_nodes *out, weir_error *err)
{
    const char *list = get_of(self, "dfs.ha.namenodes", name);
    const char **nodes = NULL;
    size_t count = list != NULL ? weir_hadoop_split_list(list, self->arena, &nodes) : 0;
    out->count = count > 0 ? count : 1;
    out->urls = WEIR_NEW_ARRAY(self->arena, const char *, out->count);
    for (size_t i = 0; i < out->count; i++) {
        const char *suffix = count > 0 ? weir_arena_format(self->arena, "%s.%s", name, nodes[i]) : name;
        const char *rpc = get_of(self, "dfs.namenode.rpc-address", suffix);
        WEIR_TRY(url_of_name_node(self, suffix, rpc, &out->urls[i], err));
    }
    return WEIR_OK;
}

/* "host:8020": the name node with this address in the configuration, or else this host. */
static int resolve_host(const resolver *self, const char *address, weir_name_nodes *out, weir_error *err)
{
    static const char property[] = "dfs.namenode.rpc-address";
    const weir_hadoop_configuration *configuration = &self->configuration;
    const char *rpc = with_port(self, address, RPC_PORT);
    const char *suffix = NULL;
    for (size_t i = 0; i < configuration->count; i++) {
        const char *name = configuration->names[i];
        if (strncmp(name, property, strlen(property)) == 0 &&
            strcmp(with_port(self, get(self, name), RPC_PORT), rpc) == 0) {
            suffix = name + strlen(property) + (name[strlen(property)] == '.');
        }
    }
    const char *default_fs = get(self, "fs.defaultFS");
    if (suffix == NULL && default_fs != NULL && strncmp(default_fs, "hdfs://", 7) == 0 &&
        strncmp(default_fs + 7, address, strlen(address)) == 0 && strchr("/", default_fs[7 + strlen(address)])) {
        suffix = "";
    }
    out->count = 1;
    out->urls = WEIR_NEW_ARRAY(self->arena, const char *, 1);
    /* No property ends in ".?", so that the host's default port is taken. */
    return url_of_name_node(self, suffix != NULL ? suffix : "?", rpc, &out->urls[0], err);
}

/* ---- URIs ---- */

static int no_default(const resolver *self, weir_error *err)
{
    return weir_fail(err, WEIR_INVALID,
                     "%s/…: no name node is named, and %s; write hdfs://host:port/path, or set the option "
                     "'fs.defaultFS' or 'hdfs.webhdfs.address', or HADOOP_CONF_DIR",
                     self->root,
                     self->configuration.folder != NULL
                         ? weir_arena_format(self->arena, "%s/core-site.xml sets no fs.defaultFS of HDFS",
                                             self->configuration.folder)
                         : "there is no configuration of Hadoop");
}

/* `uri` is what the user wrote or fs.defaultFS. */
static int resolve_uri(resolver *self, const char *uri, bool is_default, weir_name_nodes *out, weir_error *err)
{
    const char *colon = strstr(uri, "://");
    const char *authority = colon != NULL ? colon + 3 : "";
    authority = weir_arena_strndup(self->arena, authority, strcspn(authority, "/"));
    bool is_web = strncmp(uri, "webhdfs:", 8) == 0 || strncmp(uri, "swebhdfs:", 9) == 0;
    if (is_web) {
        self->is_https = uri[0] == 's';
    } else if (strncmp(uri, "hdfs:", 5) != 0) {
        return no_default(self, err);
    }
    if (*authority == 0) {
        const char *default_fs = is_default ? NULL : get(self, "fs.defaultFS");
        return default_fs != NULL ? resolve_uri(self, default_fs, true, out, err) : no_default(self, err);
    }
    if (is_nameservice(self, authority)) {
        return resolve_nameservice(self, authority, out, err);
    }
    if (!is_address(authority)) {
        return weir_fail(err, WEIR_INVALID, "%s: '%s' is neither host:port nor one of dfs.nameservices", self->root,
                         authority);
    }
    return is_web ? urls_of_list(self, authority, out, err) : resolve_host(self, authority, out, err);
}

static void resolve_user(const resolver *self, const weir_fs_settings *settings, weir_name_nodes *out)
{
    const char *token = weir_fs_setting(settings, "hdfs.delegation-token");
    const char *user = weir_fs_setting(settings, "hdfs.user");
    out->token = token != NULL && *token ? weir_arena_strdup(self->arena, token) : NULL;
    out->user = out->token != NULL      ? NULL
                : user != NULL && *user ? weir_arena_strdup(self->arena, user)
                                        : weir_hadoop_user_name(self->arena);
}

int weir_name_nodes_resolve(const char *root, const weir_fs_settings *settings, weir_arena *arena, weir_name_nodes *out,
                            weir_error *err)
{
    resolver self = {.root = root, .arena = arena};
    weir_name_nodes found = {0};
    int code = WEIR_OK;
    WEIR_GO(weir_hadoop_configuration_load(settings, arena, &self.configuration, err));
    const char *policy = get(&self, "dfs.http.policy");
    self.is_https = policy != NULL && strcmp(policy, "HTTPS_ONLY") == 0;
    const char *option = strncmp(root, "hdfs:", 5) == 0 ? weir_fs_setting(settings, "hdfs.webhdfs.address") : NULL;
    if (option != NULL && *option) {
        self.hint = "option 'hdfs.webhdfs.address'";
        WEIR_GO(urls_of_list(&self, weir_arena_strdup(arena, option), &found, err));
    } else {
        self.hint = self.configuration.folder != NULL
                        ? weir_arena_format(arena, "from %s", self.configuration.folder)
                        : "no configuration of Hadoop; option 'hdfs.webhdfs.address' sets it";
        WEIR_GO(resolve_uri(&self, root, false, &found, err));
    }
    found.hint = self.hint;
    resolve_user(&self, settings, &found);
    *out = found;
done:
    weir_hadoop_configuration_free(&self.configuration);
    return code;
}
