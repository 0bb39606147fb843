/* Hadoop's configuration files, and which name nodes a URI means by them. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cmocka_all.h"
#include "fs/fs.h"
#include "fs/hdfs/configuration.h"
#include "fs/hdfs/name_nodes.h"
#include "fs/hdfs/site_file.h"

/* ---- site files ---- */

static void collect(void *argument, const char *name, const char *value)
{
    weir_buffer_append_format(argument, "[%s|%s]", name, value);
}

static void assert_reads(const char *xml, const char *expected)
{
    weir_error err;
    weir_buffer found = {0};
    if (weir_site_file_read(weir_slice_text(xml), "core-site.xml", collect, &found, &err) != WEIR_OK) {
        fail_msg("%s: %s", xml, err.message);
    }
    assert_string_equal(weir_buffer_text(&found), expected);
    weir_buffer_free(&found);
}

static void properties_are_read_as_hadoop_writes_them(void **state)
{
    (void)state;
    static const struct {
        const char *xml;
        const char *expected;
    } cases[] = {
        {"<?xml version=\"1.0\"?>\n<!-- <property> -->\n<configuration>\n"
         " <property>\n  <name> fs.defaultFS </name>\n  <value>\n hdfs://nn:8020 </value><final>true</final>\n"
         "  <description>words</description></property></configuration>",
         "[fs.defaultFS|hdfs://nn:8020]"},
        {"<configuration><property><value>1</value><name>a</name></property>"
         "<property><name>b</name><value/></property><property><name>c</name><value> </value></property>"
         "<property><value>x</value></property><property><name>a</name><value>2</value></property></configuration>",
         "[a|1][a|2]"},
        {"<configuration><property name='a' value = \"1 > 0\"/><property value=\"&lt;2&gt;\" name=\"b\"></property>"
         "</configuration>",
         "[a|1 > 0][b|<2>]"},
        {"<c><property><name>a</name><value>x&amp;y&#65;&#x4E2D;&unknown;<![CDATA[<&amp;>]]></value></property></c>",
         "[a|x&yA中&unknown;<&amp;>]"},
        {"<c><name>outside</name><value>1</value><property><name>in</name><value>2</value></property></c>", "[in|2]"},
        {"<!DOCTYPE c><c xmlns:xi='x'><xi:include href='other.xml'/></c>", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_reads(cases[i].xml, cases[i].expected);
    }
}

static void what_is_no_xml_is_refused_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *xml;
        const char *words;
    } cases[] = {
        {"", "line 1: there is no element"},
        {"fs.defaultFS=hdfs://nn", "line 1: there is no element"},
        {"<configuration>\n<property>\n<name", "line 3: a tag that begins here does not end"},
        {"<c>\n<!-- no end", "line 2: something that begins here does not end"},
        {"<c>\n\n<![CDATA[", "line 3: something"},
        {"<c a='>", "line 1: a tag"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_error err;
        weir_buffer found = {0};
        assert_int_equal(weir_site_file_read(weir_slice_text(cases[i].xml), "/c/core-site.xml", collect, &found, &err),
                         WEIR_INVALID);
        if (strstr(err.message, cases[i].words) == NULL || strncmp(err.message, "/c/core-site.xml: ", 18) != 0) {
            fail_msg("%s", err.message);
        }
        weir_buffer_free(&found);
    }
}

/* Every prefix and every single changed byte must be read or refused, and nothing else (the sanitizers watch). */
static void damaged_files_do_no_harm(void **state)
{
    (void)state;
    static const char xml[] = "<?xml?><!--c--><c><property name='a' value=\"b\"/><property><name>x&#65;</name>"
                              "<value><![CDATA[y]]>&lt;</value></property></c>";
    static const char bytes[] = "<>&;'\"/!-[]?= \n\0#x";
    for (size_t size = 0; size < sizeof xml; size++) {
        char *copy = weir_alloc(size + 1); /* its end is guarded */
        memcpy(copy, xml, size);
        for (size_t i = 0; i < sizeof bytes; i++) {
            weir_buffer found = {0};
            if (size > 0) {
                copy[size / 2] = bytes[i];
            }
            (void)weir_site_file_read(weir_slice_of(copy, size), "f", collect, &found, NULL);
            weir_buffer_free(&found);
        }
        free(copy);
    }
}

/* ---- where it is found ---- */

typedef struct folder {
    char path[64];
    weir_arena arena;
} folder;

static int set_up(void **state)
{
    folder *here = weir_alloc_zeroed(1, sizeof *here);
    snprintf(here->path, sizeof here->path, "/tmp/weir-hadoop-XXXXXX");
    assert_non_null(mkdtemp(here->path));
    weir_arena_init(&here->arena);
    static const char *const names[] = {"HADOOP_HOME", "HADOOP_CONF_DIR", "HADOOP_USER_NAME"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unsetenv(names[i]);
    }
    *state = here;
    return 0;
}

static int tear_down(void **state)
{
    folder *here = *state;
    assert_int_equal(weir_fs_remove_recursively(weir_fs_local(), here->path, NULL), WEIR_OK);
    weir_arena_free(&here->arena);
    free(here);
    return 0;
}

/* Properties as "name=value" lines. */
static const char *write_site(folder *here, const char *name, const char *file, const char *lines)
{
    weir_buffer xml = {0};
    weir_buffer_append_text(&xml, "<configuration>");
    for (const char *at = lines; *at;) {
        size_t size = strcspn(at, "\n"), key = strcspn(at, "=");
        weir_buffer_append_format(&xml, "<property><name>%.*s</name><value>%.*s</value></property>", (int)key, at,
                                  (int)(size - key - 1), at + key + 1);
        at += size + (at[size] == '\n');
    }
    weir_buffer_append_text(&xml, "</configuration>");
    const char *path = weir_arena_format(&here->arena, "%s/%s", here->path, name);
    assert_int_equal(weir_fs_make_directories(weir_fs_local(), path, NULL), WEIR_OK);
    assert_int_equal(weir_fs_replace(weir_fs_local(), weir_arena_format(&here->arena, "%s/%s", path, file),
                                     weir_buffer_slice(&xml), NULL),
                     WEIR_OK);
    weir_buffer_free(&xml);
    return path;
}

static void later_places_override_earlier_ones(void **state)
{
    folder *here = *state;
    write_site(here, "home/etc/hadoop", "core-site.xml", "a=home\nb=home\nc=home\nd=home\ne=home");
    const char *option = write_site(here, "option", "core-site.xml", "b=option\nc=option\nd=option\ne=option");
    const char *environment = write_site(here, "env", "core-site.xml", "c=core");
    write_site(here, "env", "hdfs-site.xml", "c=hdfs\nd=hdfs\ne=hdfs");
    setenv("HADOOP_HOME", weir_arena_format(&here->arena, "%s/home", here->path), 1);
    setenv("HADOOP_CONF_DIR", environment, 1);
    const char *keys[] = {"hadoop-conf-dir", "fs.x", "hadoop.d", "hadoop.fs.x", "dfs.y", "hadoop-conf-loader"};
    const char *values[] = {option, "plain", "option-d", "prefixed", "y", "all"};
    static const struct {
        const char *loader;
        const char *expected; /* of a, b, c, d, e, fs.x, dfs.y */
    } cases[] = {
        {"all", "home option hdfs option-d hdfs plain y "},
        {"env", "home home hdfs option-d hdfs plain y "},
        {"option", "- option option option-d option plain y "},
    };
    static const char *const names[] = {"a", "b", "c", "d", "e", "fs.x", "dfs.y"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        values[5] = cases[i].loader;
        weir_hadoop_configuration configuration;
        weir_fs_settings settings = {keys, values, 6};
        assert_int_equal(weir_hadoop_configuration_load(&settings, &here->arena, &configuration, NULL), WEIR_OK);
        weir_buffer found = {0};
        for (size_t j = 0; j < sizeof names / sizeof *names; j++) {
            const char *value = weir_hadoop_configuration_get(&configuration, names[j]);
            weir_buffer_append_format(&found, "%s ", value != NULL ? value : "-");
        }
        assert_string_equal(weir_buffer_text(&found), cases[i].expected);
        weir_buffer_free(&found);
        weir_hadoop_configuration_free(&configuration);
    }
}

static void variables_are_put_in_place(void **state)
{
    folder *here = *state;
    setenv("WEIR_TEST_HOST", "nn7", 1);
    setenv("HADOOP_USER_NAME", "ada", 1);
    const char *keys[] = {"fs.a", "fs.b", "fs.c", "fs.d", "fs.e", "fs.f"};
    const char *values[] = {"hdfs://${fs.b}:1", "${env.WEIR_TEST_HOST}", "${fs.c}", "x${nothing}y",
                            "${fs.a",           "${user.name}"};
    static const char *const expected[] = {"hdfs://nn7:1", "nn7", "${fs.c}", "x${nothing}y", "${fs.a", "ada"};
    weir_hadoop_configuration configuration;
    weir_fs_settings settings = {keys, values, 6};
    assert_int_equal(weir_hadoop_configuration_load(&settings, &here->arena, &configuration, NULL), WEIR_OK);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(weir_hadoop_configuration_get(&configuration, keys[i]), expected[i]);
    }
    weir_hadoop_configuration_free(&configuration);
}

static void a_broken_file_is_named(void **state)
{
    folder *here = *state;
    write_site(here, "env", "core-site.xml", "a=1");
    const char *path = weir_arena_format(&here->arena, "%s/env/hdfs-site.xml", here->path);
    assert_int_equal(weir_fs_replace(weir_fs_local(), path, weir_slice_text("<a"), NULL), WEIR_OK);
    setenv("HADOOP_CONF_DIR", weir_arena_format(&here->arena, "%s/env", here->path), 1);
    weir_error err;
    weir_name_nodes nodes;
    assert_int_equal(weir_name_nodes_resolve("hdfs://", NULL, &here->arena, &nodes, &err), WEIR_INVALID);
    assert_non_null(strstr(err.message, "HADOOP_CONF_DIR: "));
    assert_non_null(strstr(err.message, path));
}

/* ---- name nodes ---- */

/* Options as "key=value" by newlines; gives the URLs by blanks and the user, or the message. */
static const char *resolve(folder *here, const char *root, const char *options)
{
    const char *keys[16], *values[16];
    size_t count = 0;
    for (const char *at = options; *at; count++) {
        size_t size = strcspn(at, "\n"), key = strcspn(at, "=");
        keys[count] = weir_arena_strndup(&here->arena, at, key);
        values[count] = weir_arena_strndup(&here->arena, at + key + 1, size - key - 1);
        at += size + (at[size] == '\n');
    }
    weir_fs_settings settings = {keys, values, count};
    weir_name_nodes nodes;
    weir_error err;
    if (weir_name_nodes_resolve(root, &settings, &here->arena, &nodes, &err) != WEIR_OK) {
        assert_int_equal(err.code, WEIR_INVALID);
        return weir_arena_strdup(&here->arena, err.message);
    }
    const char *words = "";
    for (size_t i = 0; i < nodes.count; i++) {
        words = weir_arena_format(&here->arena, "%s%s ", words, nodes.urls[i]);
    }
    return weir_arena_format(&here->arena, "%s%s%s", words, nodes.user != NULL ? nodes.user : "token ",
                             nodes.token != NULL ? nodes.token : "");
}

#define CLUSTER                                                                                                        \
    "dfs.nameservices=east,west\ndfs.ha.namenodes.east=nn1, nn2\ndfs.namenode.rpc-address.east.nn1=e1:8020\n"          \
    "dfs.namenode.rpc-address.east.nn2=e2:8020\ndfs.namenode.http-address.east.nn1=e1:50070\n"                         \
    "dfs.namenode.http-address.east.nn2=0.0.0.0:50071\ndfs.namenode.rpc-address.west=w:9000\nfs.defaultFS=hdfs://east"

static void a_uri_leads_to_its_name_nodes(void **state)
{
    folder *here = *state;
    setenv("HADOOP_USER_NAME", "ada", 1);
    static const struct {
        const char *root;
        const char *options;
        const char *expected;
    } cases[] = {
        {"hdfs://nn", "", "http://nn:9870 ada"},
        {"hdfs://nn:8020", "", "http://nn:9870 ada"},
        {"hdfs://[::1]:8020", "", "http://[::1]:9870 ada"},
        {"hdfs://nn:8020", "hdfs.webhdfs.address=a:1,https://b,c\nhdfs.user=bob",
         "http://a:1 https://b:9871 http://c:9870 bob"},
        {"hdfs://", "hdfs.webhdfs.address=http://a:1/\nhdfs.delegation-token=t0k\nhdfs.user=x", "http://a:1 token t0k"},
        {"webhdfs://nn:1234", "hdfs.webhdfs.address=other", "http://nn:1234 ada"},
        {"webhdfs://nn", "", "http://nn:9870 ada"},
        {"swebhdfs://nn", "", "https://nn:9871 ada"},
        {"hdfs://east", CLUSTER, "http://e1:50070 http://e2:50071 ada"},
        {"webhdfs://east", CLUSTER, "http://e1:50070 http://e2:50071 ada"},
        {"swebhdfs://east", CLUSTER, "https://e1:9871 https://e2:9871 ada"},
        {"hdfs://west", CLUSTER, "http://w:9870 ada"},
        {"hdfs://", CLUSTER, "http://e1:50070 http://e2:50071 ada"},
        {"hdfs://e1:8020", CLUSTER, "http://e1:50070 ada"},
        {"hdfs://e2", CLUSTER, "http://e2:50071 ada"},
        {"hdfs://other:8020", CLUSTER, "http://other:9870 ada"},
        {"hdfs://east", CLUSTER "\ndfs.http.policy=HTTPS_ONLY", "https://e1:9871 https://e2:9871 ada"},
        {"hdfs://", "fs.defaultFS=hdfs://nn:8020/\nhadoop.dfs.namenode.http-address=nn:5", "http://nn:5 ada"},
        {"hdfs://nn:8020", "fs.defaultFS=hdfs://nn:8020\ndfs.namenode.http-address=0.0.0.0:5", "http://nn:5 ada"},
        {"hdfs://mm:8020", "fs.defaultFS=hdfs://nn:8020\ndfs.namenode.http-address=nn:5", "http://mm:9870 ada"},
        {"hdfs://", "fs.defaultFS=webhdfs://nn:7", "http://nn:7 ada"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(resolve(here, cases[i].root, cases[i].options), cases[i].expected);
    }
}

static void what_names_no_name_node_is_refused(void **state)
{
    folder *here = *state;
    setenv("HADOOP_USER_NAME", "ada", 1);
    static const struct {
        const char *root;
        const char *options;
        const char *words;
    } cases[] = {
        {"hdfs://", "", "hdfs:///…: no name node is named, and there is no configuration of Hadoop; write"},
        {"hdfs://", "fs.defaultFS=file:///", "no name node is named"},
        {"hdfs://", "fs.defaultFS=hdfs:///", "no name node is named"},
        {"hdfs://a b", "", "'a b' is neither host:port nor one of dfs.nameservices"},
        {"hdfs://nn:99999", "", "neither host:port"},
        {"hdfs://nn:", "", "neither host:port"},
        {"hdfs://nn", "hdfs.webhdfs.address=nn:x", "'nn:x' is no address of a name node (host:port; option 'hdfs."},
        {"hdfs://nn", "hdfs.webhdfs.address= , ", "no address of a name node is given"},
        {"hdfs://n", "dfs.nameservices=n\ndfs.ha.namenodes.n=a", "dfs.namenode.http-address.n.a is not set"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *message = resolve(here, cases[i].root, cases[i].options);
        if (strstr(message, cases[i].words) == NULL) {
            fail_msg("%s: %s", cases[i].root, message);
        }
    }
    write_site(here, "env", "core-site.xml", "a=1");
    setenv("HADOOP_CONF_DIR", weir_arena_format(&here->arena, "%s/env", here->path), 1);
    assert_non_null(strstr(resolve(here, "hdfs://", ""), "/env/core-site.xml sets no fs.defaultFS of HDFS"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(properties_are_read_as_hadoop_writes_them),
        cmocka_unit_test(what_is_no_xml_is_refused_with_its_line),
        cmocka_unit_test(damaged_files_do_no_harm),
        cmocka_unit_test_setup_teardown(later_places_override_earlier_ones, set_up, tear_down),
        cmocka_unit_test_setup_teardown(variables_are_put_in_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_broken_file_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_uri_leads_to_its_name_nodes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_names_no_name_node_is_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
